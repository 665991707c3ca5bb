import { IconExternalLink, IconX } from "@tabler/icons-react";
import { type KeyboardEvent, type RefObject, useEffect, useId, useRef } from "react";
import { Link } from "react-router";
import { askAbout, FEW } from "../ask/scope";
import { say } from "../language";
import { size as sizeName } from "../library/words";
import { useSource } from "../source/place";
import { Button, IconButton } from "../ui/Button";
import { dayName } from "../ui/dates";
import { FileList, type OfMap } from "./FileList";
import { type Filter, linksOf, RELATIONS } from "./graph";
import styles from "./map.module.css";

interface CardProps extends OfMap {
  library: string;
  filter: Filter;
  path: string;
  close: () => void;
  /** Set when the focus is to go to what was chosen. */
  arriving: RefObject<boolean>;
}

/** What is known of the node chosen, what can be done with it, and why others are linked to it. */
export function Card({ library, graph, filter, path, go, arriving, close }: CardProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  const id = useId();
  const source = useSource();
  const { label, kind, date, size } = graph.getNodeAttributes(path);
  const facts = [date && dayName(date), size !== null && sizeName(size)].filter(Boolean);
  const links = linksOf(graph, filter, path).map(({ relation, weight, why, path }) => {
    const share = say.ui.percent(Math.round(100 * weight));
    return { path, relation, why: relation === "similarity" ? say.map.alike(share, why) : why };
  });
  useEffect(() => {
    if (arriving.current) heading.current?.focus(); // a click on the map leaves the focus alone
    arriving.current = false;
  }, [arriving]);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Escape") return;
    event.preventDefault(); // the frame would close the source, too
    close();
  };
  return (
    <section className={styles.card} aria-labelledby={id} data-card onKeyDown={onKeyDown}>
      <header>
        <h2 id={id} ref={heading} tabIndex={-1}>
          {label}
        </h2>
        <IconButton label={say.map.close} onClick={close}>
          <IconX size={18} stroke={1.75} aria-hidden />
        </IconButton>
      </header>
      <code>{path}</code>
      {facts.length > 0 && <p>{facts.join(", ")}</p>}
      <div className={styles.actions}>
        {kind === "file" && (
          <Button kind="primary" onClick={() => source.open({ file: path })}>
            <IconExternalLink size={16} stroke={1.75} aria-hidden /> {say.map.open}
          </Button>
        )}
        <Ask library={library} paths={[path.replace(/\/$/, "")]}>
          {kind === "file" ? say.map.askFile : say.map.askFolder}
        </Ask>
      </div>
      {links.length === 0 && <p>{say.map.noLinksHere}</p>}
      {RELATIONS.map((relation) => {
        const rows = links.filter((link) => link.relation === relation);
        return (
          rows.length > 0 && (
            <div key={relation}>
              <h3>{say.map.relations[relation].name}</h3>
              <FileList graph={graph} go={go} rows={rows} />
            </div>
          )
        );
      })}
    </section>
  );
}

/** Leads to where these can be asked about; of many, the first. */
export function Ask(props: { library: string; paths: string[]; children: string }) {
  const asked = props.paths.slice(0, FEW);
  return (
    <Link to={askAbout(props.library, { paths: asked })}>
      {props.children}
      {props.paths.length > FEW && ` (${say.map.firstAsked(FEW)})`}
    </Link>
  );
}
