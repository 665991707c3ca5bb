// Groups of files that hang together, the largest first, each named by the folder that most of it
// lies in, else by the file of it with the most links.

import { say } from "../language";
import { type FileGraph, filesOf } from "./graph";

const MOST = 0.6; // of a group's files, for a folder to name it
const ALL = 0.95; // of all files, for a folder to tell nothing

const COLOURS = 12; // in map.module.css

/** The colour of group `id`; below zero: of no group. */
export function colourOf(id = -1): string {
  return `var(--group-${id < 0 ? "none" : id % COLOURS})`;
}

export interface Group {
  /** Decides the colour; -1: files of no group. */
  id: number;
  name: string;
  files: string[];
}

/** The groups of communities (`of` each file); last, if there are any, the files that are alone. */
export function groupsOf(graph: FileGraph, of: (path: string) => number | undefined): Group[] {
  const all = filesOf(graph).sort((a, b) => graph.degree(b) - graph.degree(a));
  const members = new Map(all.map((file) => [of(file), [] as string[]]));
  for (const file of all) members.get(of(file))?.push(file);
  const found = [...members.values()];
  const alone = found.filter(({ length }) => length === 1).flat();
  const used = new Set([commonFolder(all, ALL)]);
  const groups = found.filter(({ length }) => length > 1).sort((a, b) => b.length - a.length);
  const named = groups.map((files, id) => {
    const folder = commonFolder(files);
    const own = used.has(folder) ? null : folder?.split("/").at(-1);
    used.add(folder);
    const first = graph.getNodeAttribute(files[0], "label");
    return { id, name: own ?? say.map.andMore(first, files.length - 1), files };
  });
  return alone.length ? [...named, { id: -1, name: say.map.noGroup, files: alone }] : named;
}

/** The deepest folder that this share of the paths lies in. */
export function commonFolder(paths: string[], share = MOST): string | null {
  const counts = new Map<string, number>();
  for (const path of paths)
    for (let at = path.indexOf("/"); at > 0; at = path.indexOf("/", at + 1))
      counts.set(path.slice(0, at), (counts.get(path.slice(0, at)) ?? 0) + 1);
  const common = [...counts].filter(([, count]) => count >= share * paths.length);
  return common.sort(([a], [b]) => b.length - a.length)[0]?.[0] ?? null;
}
