import { type RefObject, useEffect, useState } from "react";
import { Waiting } from "../ui/Progress";
import { colourOf } from "./colours";
import type { Groups } from "./communities";
import { at, type Model, type Shown } from "./graph";
import { Section } from "./ListSection";
import styles from "./map.module.css";

const ALONE = -1;
const FOLDERS = -2;

interface ListProps {
  library: string;
  model: Model;
  shown: Shown;
  groups: Groups | null;
  /** The group that the legend points to. */
  group: number | null;
  dark: boolean;
  chosen: number | null;
  arriving: RefObject<boolean>;
  choose: (node: number | null) => void;
  go: (node: number) => void;
}

/** The same graph in words: files by group, each with its links. */
export function List({ groups, group, dark, ...rest }: ListProps) {
  const { model, shown, chosen } = rest;
  const [open, setOpen] = useState<ReadonlySet<number>>(new Set());
  const own = chosen === null || !groups ? null : sectionOf(model, groups, chosen);
  const first = groups?.list[0]?.id ?? null;
  useEffect(() => {
    if (first !== null) setOpen((before) => (before.size ? before : new Set([first])));
  }, [first]);
  useEffect(() => {
    if (own !== null) setOpen((before) => new Set(before).add(own));
  }, [own]);
  useEffect(() => {
    if (group === null) return;
    setOpen((before) => new Set(before).add(group));
    document.getElementById(idOf(group))?.scrollIntoView({ block: "start" });
  }, [group]);
  if (!groups) return <Waiting label="Grouping the files" />;
  const turn = (section: number) =>
    setOpen((before) => {
      const after = new Set(before);
      if (!after.delete(section)) after.add(section);
      return after;
    });
  const folders = shown.structure
    ? model.nodes.flatMap((node, index) => (node.kind === "folder" ? [index] : []))
    : [];
  const sections = [
    ...groups.list.map(({ id, name, files }) => ({ id, name, nodes: files })),
    { id: ALONE, name: "In no group", nodes: groups.alone },
    { id: FOLDERS, name: "Folders", nodes: folders },
  ];
  return (
    <div className={styles.list}>
      {sections
        .filter(({ nodes }) => nodes.length > 0)
        .map(({ id, name, nodes }) => (
          <Section
            key={id}
            id={idOf(id)}
            name={name}
            nodes={nodes}
            colour={id === FOLDERS ? null : colourOf(id, dark)}
            open={open.has(id)}
            turn={() => turn(id)}
            {...rest}
          />
        ))}
    </div>
  );
}

function sectionOf(model: Model, groups: Groups, node: number): number {
  return model.nodes[node]?.kind === "folder" ? FOLDERS : at(groups.of, node);
}

function idOf(section: number): string {
  return `map-group-${section}`;
}
