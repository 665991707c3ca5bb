import { IconExternalLink, IconVectorTriangle } from "@tabler/icons-react";
import { useState } from "react";
import { useSource } from "../source/place";
import { Button } from "../ui/Button";
import { dayName } from "../ui/dates";
import { linksOf, type Model, type Shown } from "./graph";
import { LinkList } from "./LinkList";
import styles from "./map.module.css";
import { Similar } from "./Similar";
import { RELATION_NAMES, sizeName, TOLD } from "./words";

export interface DetailsProps {
  library: string;
  model: Model;
  shown: Shown;
  node: number;
  go: (node: number) => void;
}

/** A node's path, date and size, what can be done with it, and its links. */
export function Details({ library, model, shown, node, go }: DetailsProps) {
  const [similar, setSimilar] = useState(false);
  const source = useSource();
  const known = model.nodes[node];
  if (!known) return null;
  const links = linksOf(model, shown, node);
  const facts = [known.date && dayName(known.date), known.size !== null && sizeName(known.size)];
  return (
    <div className={styles.details}>
      <p className={styles.path}>{known.id}</p>
      {facts.some(Boolean) && <p>{facts.filter(Boolean).join(", ")}</p>}
      {known.kind === "file" && (
        <div className={styles.actions}>
          <Button kind="primary" onClick={() => source.open({ file: known.id })}>
            <IconExternalLink size={16} stroke={1.75} aria-hidden /> Open
          </Button>
          <Button aria-expanded={similar} onClick={() => setSimilar(!similar)}>
            <IconVectorTriangle size={16} stroke={1.75} aria-hidden /> Find similar
          </Button>
        </div>
      )}
      {similar && <Similar library={library} model={model} path={known.id} go={go} />}
      {links.length === 0 && <p>Nothing is linked to it at this setting.</p>}
      {TOLD.map((relation) => {
        const own = links.filter((link) => link.relation === relation);
        if (own.length === 0) return null;
        const title = titleOf(relation, known.kind === "folder");
        return <LinkList key={relation} title={title} links={own} model={model} go={go} />;
      })}
    </div>
  );
}

function titleOf(relation: keyof typeof RELATION_NAMES, folder: boolean): string {
  if (relation !== "structure") return RELATION_NAMES[relation].name;
  return folder ? "In and around this folder" : "Folder";
}
