import type { FileGraph } from "./graph";
import styles from "./map.module.css";

/** The map that something is about, and how to go to a node of it. */
export interface OfMap {
  graph: FileGraph;
  go: (path: string) => void;
}

/** Files by name, each with why it is named here. */
export function FileList({ graph, go, rows }: OfMap & { rows: { path: string; why: string }[] }) {
  return (
    <ul className={styles.rows}>
      {rows.map(({ path, why }) => (
        <li key={path}>
          <button type="button" title={path} onClick={() => go(path)}>
            {graph.getNodeAttribute(path, "label")}
            {why && <small>{why}</small>}
          </button>
        </li>
      ))}
    </ul>
  );
}
