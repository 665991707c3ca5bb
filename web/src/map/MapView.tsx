import { useMemo, useRef, useState } from "react";
import { say } from "../language";
import { Notice } from "../ui/Notice";
import { Waiting } from "../ui/Progress";
import { usePlace } from "./address";
import { Card } from "./Card";
import { useLook } from "./colours";
import { Details } from "./Details";
import { Filters } from "./Filters";
import { GroupDetails } from "./GroupDetails";
import { EVERY_LINK, type FileGraph, isDrawn, shownOf } from "./graph";
import { Head } from "./Head";
import { Legend } from "./Legend";
import { List } from "./List";
import styles from "./map.module.css";
import { Stage } from "./Stage";
import type { View } from "./scene";
import { useLayout } from "./useLayout";

/** The map, or the list that says the same; its filters; and a card of what is chosen. */
export function MapView({ library, graph }: { library: string; graph: FileGraph }) {
  const place = usePlace();
  const { filter } = place;
  const [drawable, setDrawable] = useState(true);
  const [pointed, setPointed] = useState<string | null>(null);
  const search = useRef<HTMLInputElement>(null);
  const from = useRef<Element | null>(null); // where the focus goes back to
  const arriving = useRef(false); // chosen by keyboard or link: the focus goes along
  const look = useLook();
  const { groups, arranging, error } = useLayout(graph, filter);
  const all = useMemo(() => shownOf(graph, EVERY_LINK), [graph]);
  const shown = useMemo(() => shownOf(graph, filter), [graph, filter]);

  const { file } = place;
  const chosen =
    file !== null && graph.hasNode(file) && isDrawn(filter, graph.getNodeAttributes(file))
      ? file
      : null;
  const within = groups?.list.find(({ id }) => id === groups.of.get(chosen ?? place.group ?? ""));
  const group = (chosen === null && within) || null;
  const view = useMemo(
    (): View | null =>
      groups && { filter, shown, groups, look, chosen, members: group?.files ?? null },
    [filter, shown, groups, look, chosen, group],
  );

  const choose = (path: string | null) => {
    if (path !== null) place.go({ file: path, group: null });
    else if (file !== null || place.group !== null) place.change({ file: null, group: null });
  };
  const goTo = (path: string) => {
    const { activeElement } = document;
    if (!activeElement?.closest("[data-card]")) from.current = activeElement;
    setPointed(null);
    arriving.current = true;
    choose(path);
  };
  const chooseGroup = (id: number | null) => {
    const files = groups?.list.find((one) => one.id === id)?.files;
    if (files?.[0]) place.go({ file: null, group: files[0] });
    else choose(null);
  };
  const close = () => {
    choose(null);
    const back = from.current?.isConnected ? from.current : search.current;
    if (back instanceof HTMLElement) back.focus();
  };
  const reset = () => place.change({ filter: EVERY_LINK });

  const drawn = drawable && !error && !place.list;
  return (
    <div className={styles.page}>
      <div className={styles.frame}>
        <Head
          graph={graph}
          links={shown.links}
          search={search}
          point={setPointed}
          go={goTo}
          list={!drawn}
          turn={drawable ? (list) => place.go({ list }) : null}
        >
          <Filters
            all={all}
            filter={filter}
            shown={shown}
            change={(changed) => place.change({ filter: changed })}
          />
          {groups && (
            <Legend
              groups={groups}
              dark={look.dark}
              chosen={group?.id ?? null}
              choose={chooseGroup}
            />
          )}
        </Head>
        <div className={styles.main}>
          <div className={styles.said}>
            {!drawable && (
              <Notice
                kind="info"
                title={say.map.notDrawn}
                action={{ label: say.map.tryAgain, run: () => setDrawable(true) }}
              >
                {say.map.needsWebGL}
              </Notice>
            )}
            {error && (
              <Notice kind="warn" title={say.map.notGrouped}>
                {error}
              </Notice>
            )}
          </div>
          {!view && <Waiting label={say.map.grouping} />}
          {view && drawn && (
            <Stage
              graph={graph}
              view={view}
              arranging={arranging}
              pointed={pointed}
              choose={choose}
              lost={() => setDrawable(false)}
              reset={reset}
            />
          )}
          {view && !drawn && (
            <List library={library} graph={graph} view={view} group={within?.id} go={goTo} />
          )}
          {chosen !== null && (
            <Card
              key={chosen}
              title={graph.getNodeAttribute(chosen, "label")}
              arriving={arriving}
              close={close}
            >
              {within && <p className={styles.within}>{say.map.inGroup(within.name)}</p>}
              <Details library={library} graph={graph} filter={filter} path={chosen} go={goTo} />
            </Card>
          )}
          {group && drawn && (
            <Card key={group.id} title={group.name} arriving={arriving} close={close}>
              <p className={styles.within}>{say.map.groupOf(group.files.length)}</p>
              <GroupDetails group={group} library={library} graph={graph} go={goTo} />
            </Card>
          )}
        </div>
      </div>
    </div>
  );
}
