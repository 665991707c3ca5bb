import { say } from "../language";
import { dayName } from "../ui/dates";
import { Ask } from "./Ask";
import { colourOf } from "./colours";
import type { FileGraph } from "./graph";
import { Swatch } from "./Legend";
import styles from "./map.module.css";
import { NodeList } from "./NodeList";
import type { View } from "./scene";

const ALONE = -1;
const FOLDERS = -2;
const SHOWN = 30; // files of a group, before one asks for more

interface ListProps {
  library: string;
  graph: FileGraph;
  view: View;
  /** The group that is chosen, or that holds what is. */
  group: number | undefined;
  go: (path: string) => void;
}

/** The same graph in words: files by group, the most linked first. */
export function List({ library, graph, view, group, go }: ListProps) {
  const { groups, shown, look, filter } = view;
  const links = (path: string) => shown.degrees.get(path) ?? 0;
  const folders = filter.relations.structure
    ? graph.filterNodes((_, { kind }) => kind === "folder")
    : [];
  const sections = [
    ...groups.list,
    { id: ALONE, name: say.map.noGroup, files: groups.alone },
    { id: FOLDERS, name: say.map.relations.structure.name, files: folders },
  ];
  const open = group ?? groups.list[0]?.id ?? ALONE;
  const rowOf = (path: string) => {
    const date = graph.getNodeAttribute(path, "date");
    const facts = [path, date && dayName(date), say.map.linksOf(links(path))];
    return { path, why: facts.filter(Boolean).join(", ") };
  };
  return (
    <div className={styles.list}>
      {sections.map(
        ({ id, name, files }) =>
          files.length > 0 && (
            <details key={id} className={styles.section} open={id === open}>
              <summary>
                {id !== FOLDERS && <Swatch colour={colourOf(id, look.dark)} />}
                <h2>{name}</h2>
                <small>{(id === FOLDERS ? say.map.folders : say.map.filesIn)(files.length)}</small>
              </summary>
              {id >= 0 && <Ask library={library} paths={files} label={say.map.askFiles} />}
              <NodeList
                rows={files.toSorted((a, b) => links(b) - links(a)).map(rowOf)}
                few={SHOWN}
                graph={graph}
                go={go}
              />
            </details>
          ),
      )}
    </div>
  );
}
