// Groups of files that hang together, the largest first. A group keeps its number, and so its
// colour, while the map changes: it goes to the community that holds most of its files.

import { gathered, tally } from "./counting";
import type { FileGraph } from "./graph";
import { namesOf } from "./names";

const LEAST = 2; // files; fewer are no group

export interface Group {
  id: number; // decides the colour
  name: string;
  files: string[];
}

export interface Groups {
  of: Map<string, number>;
  list: Group[];
  /** Files of no group. */
  alone: string[];
}

/** The groups of communities (`of` each node), with numbers as `before` where they can be. */
export function groupsOf(
  graph: FileGraph,
  of: ReadonlyMap<string, number>,
  before: Groups | null = null,
): Groups {
  const members = gathered(
    graph.filterNodes((path, { kind }) => kind === "file" && of.has(path)),
    (path) => of.get(path),
  );
  const found = [...members.values()].filter((files) => files.length >= LEAST);
  found.sort((a, b) => b.length - a.length);
  const names = namesOf(graph, found);
  const ids = numbersOf(found, before);
  const list = found.map((files, place) => ({
    id: ids[place] ?? place,
    name: names[place] ?? "",
    files: files.toSorted((a, b) => graph.degree(b) - graph.degree(a)),
  }));
  const own = new Map(list.flatMap(({ id, files }) => files.map((file) => [file, id] as const)));
  const alone = graph.filterNodes((path, { kind }) => kind === "file" && !own.has(path));
  return { of: own, list, alone };
}

function numbersOf(groups: string[][], before: Groups | null): number[] {
  const taken = new Set<number>();
  const kept = groups.map((files) => {
    const votes = tally(files.flatMap((file) => before?.of.get(file) ?? []));
    const id = votes.map(([vote]) => vote).find((vote) => !taken.has(vote));
    if (id !== undefined) taken.add(id);
    return id;
  });
  let free = 0;
  return kept.map((id) => {
    if (id !== undefined) return id;
    while (taken.has(free)) free++;
    return free++;
  });
}
