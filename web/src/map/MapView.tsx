import { useEffect, useMemo, useRef, useState } from "react";
import { useSearchParams } from "react-router";
import { say } from "../language";
import { searchNow } from "../ui/address";
import { Waiting } from "../ui/Progress";
import { Card } from "./Card";
import { AT_FIRST, type FileGraph, filesOf, find, shows } from "./graph";
import { type Group, groupsOf } from "./groups";
import { type Layout, taskOf } from "./layout";
import styles from "./map.module.css";
import { Filters, Groups, Search } from "./Side";
import { Stage } from "./Stage";

/** The map; beside it what it shows, and the same in words; and a card of the file chosen. */
export function MapView({ library, graph }: { library: string; graph: FileGraph }) {
  const [params, setParams] = useSearchParams();
  const [filter, setFilter] = useState(AT_FIRST);
  const [query, setQuery] = useState("");
  const [open, setOpen] = useState<number | null>(null);
  const field = useRef<HTMLInputElement>(null);
  const from = useRef<Element | null>(null); // where the focus goes back to
  const arriving = useRef(false); // chosen by keyboard: the focus goes along
  const groups = useLayout(graph);
  const of = useMemo(
    () => new Map(groups?.flatMap(({ id, files }) => files.map((path) => [path, id]))),
    [groups],
  );
  const found = useMemo(() => find(graph, query), [graph, query]);
  const members = query.trim() ? found : groups?.find(({ id }) => id === open)?.files;
  const links = graph.filterEdges((_, link) => shows(filter, link)).length;
  const file = params.get("file");
  const chosen = file !== null && graph.hasNode(file) ? file : null;

  const choose = (path: string | null) => {
    if (path === file) return;
    const changed = searchNow();
    if (path === null) changed.delete("file");
    else changed.set("file", path);
    setParams(changed, { replace: path === null });
  };
  const go = (path: string) => {
    const { activeElement } = document;
    if (!activeElement?.closest("[data-card]")) from.current = activeElement;
    arriving.current = true;
    choose(path);
  };
  const close = () => {
    choose(null);
    const back = from.current?.isConnected ? from.current : field.current;
    if (back instanceof HTMLElement) back.focus();
  };
  if (groups === null)
    return (
      <Bare>
        <Waiting label={say.map.comparing} />
      </Bare>
    );
  const side = { library, graph, go };
  return (
    <div className={styles.page}>
      <div className={styles.frame}>
        <header className={styles.head}>
          <h1>{say.map.title}</h1>
          <p role="status">{say.map.counts(filesOf(graph).length, links)}</p>
        </header>
        <div className={styles.main}>
          <Stage {...{ graph, filter, chosen, choose }} groups={of} members={members ?? null} />
          {chosen && <Card key={chosen} {...side} {...{ filter, arriving, close }} path={chosen} />}
        </div>
        <div className={styles.side}>
          <Search {...side} {...{ field, query, found }} ask={setQuery} />
          <Filters graph={graph} filter={filter} change={setFilter} />
          <Groups {...side} groups={groups} open={open} turn={setOpen} />
        </div>
      </div>
    </div>
  );
}

/** The page without a map. */
export function Bare({ children }: { children: React.ReactNode }) {
  return (
    <div className={styles.bare}>
      <h1>{say.map.title}</h1>
      {children}
    </div>
  );
}

/** The groups of the graph, once its nodes have their places. */
function useLayout(graph: FileGraph): Group[] | null {
  const [found, setFound] = useState<{ graph: FileGraph; groups: Group[] } | null>(null);
  useEffect(() => {
    const worker = new Worker(new URL("./layout.worker.ts", import.meta.url), { type: "module" });
    worker.onmessage = ({ data }: MessageEvent<Layout>) => {
      const number = new Map(graph.nodes().map((path, n) => [path, n]));
      graph.updateEachNodeAttributes((path, attributes) => {
        const [x, y] = data.places[number.get(path) ?? 0] ?? [0, 0];
        return { ...attributes, x, y };
      });
      const groups = groupsOf(graph, (path) => data.communities[number.get(path) ?? 0]);
      setFound({ graph, groups });
    };
    worker.postMessage(taskOf(graph));
    return () => worker.terminate();
  }, [graph]);
  return found?.graph === graph ? found.groups : null;
}
