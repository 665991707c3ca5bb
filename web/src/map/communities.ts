// Groups of files that hang together: kept in their colours as the map changes, and named.

import { at, type Model } from "./graph";
import { namesOf } from "./names";

const LEAST = 2; // files; fewer are no group

export interface Group {
  id: number; // decides the colour
  name: string;
  files: number[];
}

export interface Groups {
  /** Of each node: the id of its group, or -1. */
  of: Int32Array;
  /** The largest first. */
  list: Group[];
  /** Files of no group. */
  alone: number[];
}

/**
 * Numbers for communities: what was a group before keeps its number, by the files they share;
 * the others take the smallest free ones, the largest first. Too few files: -1.
 */
export function numbered(
  found: ArrayLike<number>,
  before: ArrayLike<number> | null,
  isFile: (node: number) => boolean,
): Int32Array {
  const sizes = new Map<number, number>();
  const shared = new Map<string, [number, number, number]>();
  for (let node = 0; node < found.length; node++) {
    if (!isFile(node)) continue;
    const now = at(found, node);
    sizes.set(now, (sizes.get(now) ?? 0) + 1);
    const then = before ? at(before, node) : -1;
    if (then < 0) continue;
    const both = shared.get(`${now} ${then}`) ?? [now, then, 0];
    both[2] += 1;
    shared.set(`${now} ${then}`, both);
  }
  const groups = [...sizes].filter(([, size]) => size >= LEAST).sort((a, b) => b[1] - a[1]);
  const given = new Map<number, number>();
  const taken = new Set<number>();
  const known = new Set(groups.map(([group]) => group));
  for (const [now, then] of [...shared.values()].sort((a, b) => b[2] - a[2])) {
    if (!known.has(now) || given.has(now) || taken.has(then)) continue;
    given.set(now, then);
    taken.add(then);
  }
  let free = 0;
  for (const [group] of groups) {
    if (given.has(group)) continue;
    while (taken.has(free)) free++;
    taken.add(free);
    given.set(group, free);
  }
  return Int32Array.from(found, (community) => given.get(community) ?? -1);
}

export function groupsOf(model: Model, of: Int32Array): Groups {
  const members = new Map<number, number[]>();
  const alone: number[] = [];
  model.nodes.forEach((node, index) => {
    if (node.kind !== "file") return;
    const group = at(of, index);
    if (group < 0) alone.push(index);
    else if (members.has(group)) members.get(group)?.push(index);
    else members.set(group, [index]);
  });
  const sorted = [...members].sort((a, b) => b[1].length - a[1].length || a[0] - b[0]);
  const names = namesOf(
    model,
    sorted.map(([, files]) => files),
  );
  const list = sorted.map(([id, files], place) => ({ id, files, name: names[place] ?? "" }));
  return { of, list, alone };
}
