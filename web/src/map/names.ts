// Names for groups of files: the folder that most of them lie in, else the words that set their
// names apart from those of other groups.

import type { Model } from "./graph";

const MOST = 0.6; // of a group's files, for a folder to name it
const ALL = 0.95; // of all files, for a folder to tell nothing
const WORDS = 2;
const WORD = /\p{L}[\p{L}\p{M}’']{2,}/gu;
const PLAIN = new Set(
  `and are aus das dem den der des die ein eine for from fur für les mit the und une von with your
  scan doc docx pdf txt eml csv jpg png html`.split(/\s+/),
);

/** A name for each group, no two the same. */
export function namesOf(model: Model, groups: number[][]): string[] {
  const words = groups.map((files) => wordsOf(model, files));
  const spread = new Map<string, number>(); // in how many groups a word occurs
  for (const counts of words) {
    for (const word of counts.keys()) spread.set(word, (spread.get(word) ?? 0) + 1);
  }
  const telling = words.map((counts) => best(counts, spread, groups.length));
  const paths = groups.map((files) => files.map((file) => model.nodes[file]?.id ?? ""));
  const whole = commonFolder(paths.flat(), ALL); // tells no group from another
  const folders = paths.map((own) => {
    const folder = commonFolder(own);
    return folder === whole ? null : folder;
  });
  const used = new Map<string, number>();
  for (const folder of folders) if (folder) used.set(folder, (used.get(folder) ?? 0) + 1);
  const names = folders.map((folder, place) => {
    const said = (telling[place] ?? []).join(", ");
    if (!folder) return said || pairOf(paths[place] ?? []) || firstOf(model, groups[place] ?? []);
    const last = folder.split("/").at(-1) ?? folder;
    return (used.get(folder) ?? 0) > 1 && said ? `${last}: ${said}` : last;
  });
  return distinct(names);
}

/** The deepest folder that this share of the paths lies in. */
export function commonFolder(paths: string[], share = MOST): string | null {
  const counts = new Map<string, number>();
  for (const path of paths) {
    const parts = path.split("/").slice(0, -1);
    for (let depth = 1; depth <= parts.length; depth++) {
      const folder = parts.slice(0, depth).join("/");
      counts.set(folder, (counts.get(folder) ?? 0) + 1);
    }
  }
  let found: string | null = null;
  for (const [folder, count] of counts) {
    const deeper = found === null || folder.length > found.length;
    if (deeper && count >= share * paths.length) found = folder;
  }
  return found;
}

/** In how many of the files' names each word occurs. */
function wordsOf(model: Model, files: number[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const file of files) {
    const words = (model.names[file] ?? "").toLowerCase().match(WORD) ?? [];
    for (const word of new Set(words)) {
      if (!PLAIN.has(word)) counts.set(word, (counts.get(word) ?? 0) + 1);
    }
  }
  return counts;
}

/** The words that several of the group's files have and few other groups. */
function best(counts: Map<string, number>, spread: Map<string, number>, groups: number): string[] {
  const worth = ([word, count]: [string, number]) =>
    count * Math.log(1 + groups / (spread.get(word) ?? 1));
  return [...counts]
    .filter(([, count]) => count > 1)
    .sort((a, b) => worth(b) - worth(a) || (a[0] < b[0] ? -1 : 1))
    .slice(0, WORDS)
    .map(([word]) => word.charAt(0).toUpperCase() + word.slice(1));
}

/** The two folders that most of the paths lie in together. */
function pairOf(paths: string[]): string | null {
  const counts = new Map<string, number>();
  for (const path of paths) {
    const folder = path.split("/").at(-2);
    if (folder) counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  const [one, two] = [...counts].sort((a, b) => b[1] - a[1]);
  if (!one || !two || one[1] + two[1] < MOST * paths.length) return null;
  return `${one[0]} and ${two[0]}`;
}

/** The file with the most links, and how many more there are. */
function firstOf(model: Model, files: number[]): string {
  const links = (file: number) => (model.starts[file + 1] ?? 0) - (model.starts[file] ?? 0);
  const first = files.toSorted((a, b) => links(b) - links(a))[0] ?? 0;
  return `${model.names[first]} and ${files.length - 1} more`;
}

function distinct(names: string[]): string[] {
  const seen = new Map<string, number>();
  return names.map((name) => {
    const count = (seen.get(name) ?? 0) + 1;
    seen.set(name, count);
    return count > 1 ? `${name} (${count})` : name;
  });
}
