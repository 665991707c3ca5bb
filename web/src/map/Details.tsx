import { IconExternalLink, IconVectorTriangle } from "@tabler/icons-react";
import { useState } from "react";
import { say } from "../language";
import { size as sizeName } from "../library/words";
import { useSource } from "../source/place";
import { Button } from "../ui/Button";
import { dayName } from "../ui/dates";
import { Ask } from "./Ask";
import { type FileGraph, type Filter, type Link, linksOf, RELATIONS } from "./graph";
import styles from "./map.module.css";
import { NodeList } from "./NodeList";
import { Similar, useSimilar } from "./Similar";

interface DetailsProps {
  library: string;
  graph: FileGraph;
  filter: Filter;
  path: string;
  go: (path: string) => void;
}

/** A node's path, date and size, what can be done with it, and its links. */
export function Details({ library, graph, filter, path, go }: DetailsProps) {
  const [open, setOpen] = useState(false);
  const source = useSource();
  const { kind, date, size } = graph.getNodeAttributes(path);
  const isFile = kind === "file";
  const similar = useSimilar(library, isFile ? path : null);
  const shared = new Map(similar.data?.results.map(({ file, why }) => [file, why]));
  const links = linksOf(graph, filter, path);
  const facts = [date && dayName(date), size !== null && sizeName(size)].filter(Boolean);
  const rowOf = ({ other, relation, weight, why }: Link) => {
    if (relation !== "similarity") return { path: other, why };
    const said = why || shared.get(other);
    const share = say.ui.percent(Math.round(100 * weight));
    const waiting = similar.isPending && !said;
    return { path: other, why: waiting ? share : say.map.alike(share, said) };
  };
  return (
    <div className={styles.details}>
      <p className={styles.path}>{path}</p>
      {facts.length > 0 && <p>{facts.join(", ")}</p>}
      <div className={styles.actions}>
        {isFile && (
          <>
            <Button kind="primary" onClick={() => source.open({ file: path })}>
              <IconExternalLink size={16} stroke={1.75} aria-hidden /> {say.map.open}
            </Button>
            <Button aria-expanded={open} onClick={() => setOpen(!open)}>
              <IconVectorTriangle size={16} stroke={1.75} aria-hidden /> {say.map.findSimilar}
            </Button>
          </>
        )}
        <Ask
          library={library}
          paths={[path.replace(/\/$/, "")]}
          label={isFile ? say.map.askFile : say.map.askFolder}
        />
      </div>
      {open && <Similar similar={similar} graph={graph} go={go} />}
      {links.length === 0 && <p>{say.map.noLinksHere}</p>}
      {RELATIONS.map((relation) => {
        const rows = links.filter((link) => link.relation === relation).map(rowOf);
        if (rows.length === 0) return null;
        const title = relation === "structure" && !isFile ? say.map.inFolder : TITLES[relation];
        return <NodeList key={relation} title={title} rows={rows} graph={graph} go={go} />;
      })}
    </div>
  );
}

const TITLES = {
  similarity: say.map.relations.similarity.name,
  reference: say.map.relations.reference.name,
  structure: say.map.folder,
};
