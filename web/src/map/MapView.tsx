import { useMemo, useRef, useState } from "react";
import { Notice } from "../ui/Notice";
import { Card } from "./Card";
import { colourOf, useDark } from "./colours";
import type { Focus } from "./drawing/overlay";
import { Filters } from "./Filters";
import { finderOf } from "./find";
import { countOf, degreesOf, drawnOf, type Filter, linksOf, type Model, shownOf } from "./graph";
import { Head, type View } from "./Head";
import { Legend } from "./Legend";
import { List } from "./List";
import { useLayout } from "./layout/useLayout";
import { LEAST_ALIKE } from "./limits";
import styles from "./map.module.css";
import { Stage, type StageHandle } from "./Stage";
import { type SizeBy, sizesOf } from "./sizes";
import { useSettled } from "./useSettled";

const ALL: Filter = {
  threshold: LEAST_ALIKE,
  relations: { similarity: true, reference: true, structure: true },
};

/** The map, or the list that says the same; its filters; and a card of the file chosen. */
export function MapView({ library, model }: { library: string; model: Model }) {
  const [drawable, setDrawable] = useState(true);
  const [view, setView] = useState<View>("map");
  const [filter, setFilter] = useState(ALL);
  const [sizeBy, setSizeBy] = useState<SizeBy>("links");
  const [chosen, setChosen] = useState<string | null>(null); // by path: it outlives a sync
  const [hovered, setHovered] = useState<string | null>(null);
  const [group, setGroup] = useState<number | null>(null);
  const stage = useRef<StageHandle>(null);
  const search = useRef<HTMLInputElement>(null);
  const arriving = useRef(false); // chosen by keyboard or link: the focus goes along
  const dark = useDark();

  const shown = useMemo(() => shownOf(model, filter), [model, filter]);
  const settled = useSettled(filter, 180); // sizes and layout follow when the slider rests
  const layout = useLayout(library, model, settled);
  const { groups } = layout;
  const find = useMemo(() => finderOf(model), [model]);
  const nodeAt = (path: string | null) => (path === null ? null : (model.byId.get(path) ?? null));
  const wanted = nodeAt(chosen);
  const selected = wanted !== null && drawnOf(model, filter)[wanted] ? wanted : null;

  const nodes = useMemo(() => {
    const degrees = degreesOf(model, shownOf(model, settled));
    const colours = model.nodes.map((_, node) => colourOf(groups?.of[node] ?? -1, dark));
    return { sizes: sizesOf(model, degrees, sizeBy), colours, drawn: drawnOf(model, settled) };
  }, [model, settled, sizeBy, groups, dark]);

  const members = groups?.list.find(({ id }) => id === group)?.files;
  const looked = nodeAt(hovered) ?? selected;
  const focus = useMemo((): Focus => {
    if (looked !== null) return { node: looked, links: linksOf(model, shown, looked) };
    return members ? { members } : null;
  }, [model, shown, looked, members]);

  const pathOf = (node: number | null) => (node === null ? null : (model.nodes[node]?.id ?? null));
  const select = (node: number | null) => setChosen(pathOf(node));
  const hover = (node: number | null) => setHovered(pathOf(node));
  const goTo = (node: number) => {
    hover(null);
    select(node);
    arriving.current = true;
    const around = linksOf(model, shown, node).map((link) => link.other);
    stage.current?.centre(node, around);
  };
  const clear = () => {
    select(null);
    setGroup(null);
  };
  const close = () => {
    select(null);
    search.current?.focus();
  };
  const attendGroup = (id: number | null) => {
    select(null);
    setGroup(id);
    const files = groups?.list.find((one) => one.id === id)?.files;
    if (files) stage.current?.fit(files);
  };
  const reset = () => {
    setFilter(ALL);
    setSizeBy("links");
    clear();
    stage.current?.fit(null);
  };
  const draw = () => {
    setDrawable(true);
    setView("map");
  };
  const lost = () => {
    setDrawable(false);
    setView("list");
  };

  const side = (
    <>
      <Filters
        model={model}
        filter={filter}
        shown={shown}
        change={setFilter}
        sizeBy={sizeBy}
        size={setSizeBy}
        reset={reset}
      />
      {groups && <Legend groups={groups} dark={dark} chosen={group} choose={attendGroup} />}
    </>
  );
  const details = { library, model, shown, arriving, go: goTo };
  return (
    <div className={styles.page}>
      <div className={styles.frame}>
        <Head
          model={model}
          links={countOf(shown)}
          find={find}
          search={search}
          preview={hover}
          go={goTo}
          view={view}
          turn={drawable ? setView : null}
          side={side}
        />
        <div className={styles.main}>
          <div className={styles.said}>
            {!drawable && (
              <Notice
                kind="info"
                title="The map cannot be drawn."
                action={{ label: "Try again", run: draw }}
              >
                It needs WebGL, which this browser lacks or has switched off. The list says the
                same.
              </Notice>
            )}
            {layout.error && (
              <Notice kind="warn" title="The files could not be grouped.">
                {layout.error}
              </Notice>
            )}
          </div>
          {view === "map" && drawable && !layout.error ? (
            <Stage
              ref={stage}
              model={model}
              layout={layout}
              nodes={nodes}
              shown={shown}
              focus={focus}
              dark={dark}
              hover={hover}
              select={(node) => (node === null ? clear() : select(node))}
              lost={lost}
              reset={reset}
            >
              {selected !== null && (
                <Card key={chosen} node={selected} groups={groups} close={close} {...details} />
              )}
            </Stage>
          ) : (
            <List
              groups={groups}
              group={group}
              dark={dark}
              chosen={selected}
              choose={select}
              {...details}
            />
          )}
        </div>
      </div>
    </div>
  );
}
