// Names for groups of files, by what most of a group shares: a folder, else a word of the files'
// names. A group that shares neither is not given a name that promises more than it holds: it is
// called by its largest part "and others", or by its best linked file "and 5 more".

import { say } from "../language";
import { tally } from "./counting";
import type { FileGraph } from "./graph";

const MOST = 0.6; // of a group's files, for a folder or a word to name it
const PAIR = 0.75; // for two folders to name it together
const PART = 0.35; // for a folder to name it "and others"
const ALL = 0.95; // of all files, for a folder to tell nothing
const WORD = /\p{L}[\p{L}\p{M}’']{2,}/gu;
const PLAIN = new Set(
  `and are aus das dem den der des die ein eine for from fur für les mit the und une von with your
  scan doc docx pdf txt eml csv jpg png html`.split(/\s+/),
);

/** A name for each group, no two the same. */
export function namesOf(graph: FileGraph, groups: string[][]): string[] {
  const whole = commonFolder(groups.flat(), ALL); // tells no group from another
  const folders = groups.map((files) => {
    const folder = commonFolder(files);
    return folder === whole ? null : folder;
  });
  const used = new Map(tally(folders));
  const words = wordsOf(graph, groups);
  return distinct(
    groups.map((files, place) => {
      const [folder = null, word = null] = [folders[place], words[place]];
      if (folder === null) return word ?? partOf(files) ?? firstOf(graph, files);
      return (used.get(folder) ?? 0) > 1 && word ? `${lastOf(folder)}: ${word}` : lastOf(folder);
    }),
  );
}

/** The deepest folder that this share of the paths lies in. */
export function commonFolder(paths: string[], share = MOST): string | null {
  const above = paths.flatMap((path) => {
    const parts = path.split("/").slice(0, -1);
    return parts.map((_, depth) => parts.slice(0, depth + 1).join("/"));
  });
  const common = tally(above).filter(([, count]) => count >= share * paths.length);
  return common.sort(([a], [b]) => b.length - a.length)[0]?.[0] ?? null;
}

/** A group's files by the folder that they lie in, the most frequent first; "" is the top. */
export function foldersOf(paths: string[]): [string, number][] {
  return tally(paths.map((path) => path.split("/").at(-2) ?? ""));
}

/** Of each group, the word that most of its files and few other groups have in their names. */
function wordsOf(graph: FileGraph, groups: string[][]): (string | null)[] {
  const own = groups.map((files) =>
    tally(files.flatMap((file) => [...wordsIn(graph.getNodeAttribute(file, "label"))])),
  );
  const spread = new Map(tally(own.flatMap((words) => words.map(([word]) => word))));
  return own.map((words, place) => {
    const least = Math.max(2, MOST * (groups[place]?.length ?? 0));
    const worth = ([word, count]: [string, number]) => count / (spread.get(word) ?? 1);
    const [best] = words.filter(([, n]) => n >= least).sort((a, b) => worth(b) - worth(a));
    return best ? best[0].charAt(0).toUpperCase() + best[0].slice(1) : null;
  });
}

function wordsIn(name: string): Set<string> {
  return new Set(
    name
      .toLowerCase()
      .match(WORD)
      ?.filter((word) => !PLAIN.has(word)),
  );
}

/** By the folders that hold much of it. */
function partOf(files: string[]): string | null {
  const [one, two] = foldersOf(files).filter(([folder]) => folder !== "");
  if (one && two && one[1] + two[1] >= PAIR * files.length) return say.map.two(one[0], two[0]);
  return one && one[1] > 1 && one[1] >= PART * files.length ? say.map.andOthers(one[0]) : null;
}

function firstOf(graph: FileGraph, files: string[]): string {
  const [first = ""] = files.toSorted((a, b) => graph.degree(b) - graph.degree(a));
  return say.map.andMore(graph.getNodeAttribute(first, "label"), files.length - 1);
}

function lastOf(folder: string): string {
  return folder.slice(folder.lastIndexOf("/") + 1);
}

function distinct(names: string[]): string[] {
  const seen = new Map<string, number>();
  return names.map((name) => {
    const count = (seen.get(name) ?? 0) + 1;
    seen.set(name, count);
    return count > 1 ? `${name} (${count})` : name;
  });
}
