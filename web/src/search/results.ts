// What a search found, as it is shown: passages under their file.

import type { FoundPassage } from "../api/types";
import { say } from "../language";
import { pageWords } from "../source/moment";
import type { Place } from "../source/place";
import { dayName, dayOf } from "../ui/dates";
import { kindOf } from "../ui/files";

export interface Group {
  file: string;
  /** The file's passages, in the order in which they were found; never empty. */
  passages: [FoundPassage, ...FoundPassage[]];
}

const said = say.search.results;
const NEAR = 160; // characters from the first word that was found to the last
const NAMED = 3; // files that a passage names besides its own
export const SHOWN = 2; // passages of a file before "more in this file"

/** The passages by their files; what says the same at the same place is said once. */
export function grouped(results: readonly FoundPassage[]): Group[] {
  const groups = new Map<string, Group>();
  const seen = new Set<string>();
  for (const passage of results) {
    const what = JSON.stringify([passage.file, passage.page, passage.snippet]);
    if (seen.has(what)) continue;
    seen.add(what);
    const group = groups.get(passage.file);
    if (group) group.passages.push(passage);
    else groups.set(passage.file, { file: passage.file, passages: [passage] });
  }
  return [...groups.values()];
}

/** Where a passage stands, for the source panel. */
export function placeOf(passage: FoundPassage): Place {
  return {
    file: passage.file,
    page: passage.page,
    line: passage.line,
    lineEnd: passage.line_end,
    quote: markedIn(passage) || passage.snippet.replace(/^[…\s]+|[…\s]+$/g, "") || null,
  };
}

/** The words that were found, from the first to the last where these are near each other. */
function markedIn({ snippet, marks }: FoundPassage): string {
  const [first, last] = [marks[0], marks.at(-1)];
  if (!first || !last) return "";
  const near = last[1] - first[0] <= NEAR;
  return [...snippet].slice(first[0], near ? last[1] : first[1]).join("");
}

/** Where else a passage's text stands, unless the passage before it stands in the same files. */
export function alsoOf(passages: readonly FoundPassage[], n: number): string | null {
  const files = passages[n]?.also ?? [];
  const before = passages[n - 1]?.also ?? [];
  if (!files.length || JSON.stringify(files) === JSON.stringify(before)) return null;
  return said.also(files.slice(0, NAMED).join(", "), files.length - NAMED);
}

/** "Page 3", "Line 12", or nothing where a file has neither, as a picture. */
export function spotOf(passage: FoundPassage): string | null {
  if (kindOf(passage.file, passage.format) === "image") return null;
  if (passage.page) return pageWords(passage.file, passage.page, said.page);
  return passage.line ? said.line(passage.line) : null;
}

/** The file's own date, else when it was changed. */
export function dateOf(passage: FoundPassage): string {
  return passage.date ? dayName(passage.date) : said.changed(dayOf(passage.modified));
}

/** How much was found; `full`: there may be more. */
export function countOf(groups: readonly Group[], full: boolean): string {
  const passages = groups.reduce((sum, group) => sum + group.passages.length, 0);
  const files = groups.length;
  if (groups.every((group) => group.passages.every(({ marks }) => marks.length === 0))) {
    return said.nearest(files);
  }
  return full ? said.best(passages, files) : said.found(passages, files);
}

/** The time that a search took: "84 ms", "1.2 s". */
export function spent(ms: number): string {
  return ms < 1000 ? said.milliseconds(Math.round(ms)) : said.seconds(Math.round(ms / 100) / 10);
}
