import { IconChevronRight, IconFolder } from "@tabler/icons-react";
import { type RefObject, useEffect, useMemo, useRef, useState } from "react";
import { Button } from "../ui/Button";
import { dayName } from "../ui/dates";
import { Details } from "./Details";
import { degreesOf, type Model, type Shown } from "./graph";
import { Swatch } from "./Legend";
import styles from "./map.module.css";
import { counted } from "./words";

const PAGE = 60; // rows

interface SectionProps {
  library: string;
  model: Model;
  shown: Shown;
  id: string;
  name: string;
  nodes: number[];
  colour: string | null;
  open: boolean;
  turn: () => void;
  chosen: number | null;
  arriving: RefObject<boolean>;
  choose: (node: number | null) => void;
  go: (node: number) => void;
}

/** One group of the list; open, it shows its files. */
export function Section({ id, name, nodes, colour, open, turn, ...rest }: SectionProps) {
  const { model, shown, chosen } = rest;
  const [most, setMost] = useState(PAGE);
  const degrees = useMemo(() => degreesOf(model, shown), [model, shown]);
  const sorted = useMemo(
    () => [...nodes].sort((a, b) => (degrees[b] ?? 0) - (degrees[a] ?? 0)),
    [nodes, degrees],
  );
  const rows = sorted.slice(0, most);
  const far = chosen !== null && !rows.includes(chosen) && nodes.includes(chosen);
  if (far) rows.push(chosen);
  return (
    <section className={styles.section} aria-labelledby={id}>
      <h2 id={id}>
        <button type="button" aria-expanded={open} onClick={turn}>
          <IconChevronRight size={16} stroke={2} aria-hidden />
          {colour ? <Swatch colour={colour} /> : <IconFolder size={16} stroke={1.75} aria-hidden />}
          <span>{name}</span>
          <small>{counted(nodes.length, colour ? "file" : "folder")}</small>
        </button>
      </h2>
      {open && (
        <>
          <ul className={styles.rows}>
            {rows.map((node) => (
              <Row key={node} node={node} links={degrees[node] ?? 0} {...rest} />
            ))}
          </ul>
          {nodes.length > most && (
            <Button kind="quiet" onClick={() => setMost(most + PAGE)}>
              Show {Math.min(PAGE, nodes.length - most)} more
            </Button>
          )}
        </>
      )}
    </section>
  );
}

interface RowProps {
  library: string;
  model: Model;
  shown: Shown;
  node: number;
  links: number;
  chosen: number | null;
  arriving: RefObject<boolean>;
  choose: (node: number | null) => void;
  go: (node: number) => void;
}

function Row({ node, links, chosen, arriving, choose, ...rest }: RowProps) {
  const { model } = rest;
  const button = useRef<HTMLButtonElement>(null);
  const open = chosen === node;
  useEffect(() => {
    if (!open || document.activeElement === button.current) return;
    if (arriving.current) button.current?.focus({ preventScroll: true });
    arriving.current = false;
    button.current?.scrollIntoView({ block: "start" }); // chosen from elsewhere
  }, [open, arriving]);
  const known = model.nodes[node];
  if (!known) return null;
  const facts = [known.date && dayName(known.date), counted(links, "link")];
  return (
    <li>
      <button
        ref={button}
        type="button"
        className={styles.row}
        aria-expanded={open}
        onClick={() => choose(open ? null : node)}
      >
        <span>{model.names[node]}</span>
        <small>{known.id}</small>
        <small>{facts.filter(Boolean).join(", ")}</small>
      </button>
      {open && <Details node={node} {...rest} />}
    </li>
  );
}
