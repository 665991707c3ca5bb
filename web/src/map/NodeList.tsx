import { useState } from "react";
import { number, say } from "../language";
import { Button } from "../ui/Button";
import type { FileGraph } from "./graph";
import styles from "./map.module.css";

const FEW = 6;
const MORE = 40;

interface NodeListProps {
  title?: string;
  rows: { path: string; why?: string }[];
  /** How many are shown before one asks for more. */
  few?: number;
  graph: FileGraph;
  go: (path: string) => void;
}

/** Nodes by name, each with why it is named here. */
export function NodeList({ title, rows, few = FEW, graph, go }: NodeListProps) {
  const [most, setMost] = useState(few);
  return (
    <div className={styles.links}>
      {title && (
        <h3>
          {title} <small>{number(rows.length)}</small>
        </h3>
      )}
      <ul className={styles.plain}>
        {rows.slice(0, most).map(({ path, why }) => (
          <li key={path}>
            <button
              type="button"
              title={path}
              disabled={!graph.hasNode(path)}
              onClick={() => go(path)}
            >
              <span>{graph.hasNode(path) ? graph.getNodeAttribute(path, "label") : path}</span>
              {why && <small>{why}</small>}
            </button>
          </li>
        ))}
      </ul>
      {rows.length > most && (
        <Button kind="quiet" onClick={() => setMost(most + MORE)}>
          {say.map.showMore(Math.min(MORE, rows.length - most))}
        </Button>
      )}
    </div>
  );
}
