import { useState } from "react";
import { Button } from "../ui/Button";
import type { Link, Model } from "./graph";
import styles from "./map.module.css";
import { counted, percent } from "./words";

const FEW = 6;
const MORE = 40;

interface LinkListProps {
  title: string;
  links: Link[];
  model: Model;
  go: (node: number) => void;
}

/** A node's links of one relation, each with what it rests on. */
export function LinkList({ title, links, model, go }: LinkListProps) {
  const [most, setMost] = useState(FEW);
  return (
    <div className={styles.links}>
      <h3>
        {title} <small>{links.length}</small>
      </h3>
      <ul className={styles.plain}>
        {links.slice(0, most).map((link) => (
          <li key={link.link}>
            <NodeButton model={model} node={link.other} why={whyOf(link)} go={go} />
          </li>
        ))}
      </ul>
      {links.length > most && (
        <Button kind="quiet" onClick={() => setMost(most + MORE)}>
          Show {counted(Math.min(MORE, links.length - most), "more", "more")}
        </Button>
      )}
    </div>
  );
}

function whyOf({ relation, weight, why }: Link): string {
  if (relation !== "similarity") return why;
  return why ? `${percent(weight)}: ${why}` : `${percent(weight)} alike`;
}

interface NodeButtonProps {
  model: Model;
  node: number;
  why: string;
  go: (node: number) => void;
}

/** Another node by name, and why it is named here. */
export function NodeButton({ model, node, why, go }: NodeButtonProps) {
  const path = model.nodes[node]?.id;
  return (
    <button type="button" className={styles.other} title={path} onClick={() => go(node)}>
      <span>{model.names[node]}</span>
      {why && <small>{why}</small>}
    </button>
  );
}
