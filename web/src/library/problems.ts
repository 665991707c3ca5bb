// Why files were not read, or not whole: the reasons in groups, each with what a person can do.

import type { FileItem, FileStatus } from "../api/types";
import { say } from "../language";

/** Where in the page something can be done about it. */
export type Way = "models" | "settings";

export interface Problem {
  title: string;
  advice: string;
  way?: Way;
}

export interface ProblemGroup extends Problem {
  status: FileStatus; // the worst one of its files
  files: FileItem[];
}

/** From the worst on; the order in which the statuses are shown. */
export const STATUSES: FileStatus[] = ["failed", "partial", "skipped", "indexed"];

const SAID = say.library.problems;
type Known = keyof typeof SAID.known;

// The first rule that fits a reason decides. The reasons are those of `documents` and `index`.
const RULES: [RegExp, Known, Way?][] = [
  [/password|encrypted/i, "password"],
  [/no permission/i, "permission"],
  [/disappeared/i, "gone"],
  [/vision model (?:failed|took|gave)|no sense/i, "vision"],
  [/no vision model|no words in it/i, "photos", "models"],
  [/words are not read yet|scans? without text/i, "scans", "settings"],
  [/HEIC/, "heic"],
  [/no library here opens/i, "rare"],
  [/^refused/i, "refused"],
  [
    /larger than|needs more than|took longer than|within the limits|only (?:the first|\d+ of)/i,
    "large",
  ],
  [/others are being read|reading was stopped/i, "unfinished"],
  [
    /^broken|binary content|parser|sensible answer|crash|cannot be opened|pages? cannot be read/i,
    "damaged",
  ],
  [/cannot be read/i, "unreachable"],
  [/^old (?:Word|PowerPoint)/i, "old"],
  [/^(?:archive|audio|video|program|font|database)\b|unknown binary/i, "noDocument"],
  [/empty file|no text inside|without text|no pages inside/i, "empty"],
];

type Unread = Pick<FileItem, "reason" | "why" | "status">;

/** What a reason means to a person. An unknown one stands for itself, in the page's language. */
export function explain({ reason, why, status }: Unread): Problem {
  const known = RULES.find(([pattern]) => pattern.test(reason ?? ""));
  if (known) {
    const [, name, way] = known;
    return { ...SAID.known[name], ...(way && { way }) };
  }
  const text = why?.trim() ?? "";
  return {
    title: text ? text.charAt(0).toUpperCase() + text.slice(1) : SAID.noReason,
    advice: status === "skipped" ? SAID.nothing : SAID.again,
  };
}

/** Files that were not read whole, grouped by what can be done, the worst and largest first. */
export function problemsOf(files: readonly FileItem[]): ProblemGroup[] {
  const groups = new Map<string, ProblemGroup>();
  for (const file of files) {
    if (file.status === "indexed") continue;
    const problem = explain(file);
    const group = groups.get(problem.title);
    if (!group) {
      groups.set(problem.title, { ...problem, status: file.status, files: [file] });
      continue;
    }
    group.files.push(file);
    if (severity(file.status) < severity(group.status)) group.status = file.status;
  }
  return [...groups.values()].sort(
    (a, b) => severity(a.status) - severity(b.status) || b.files.length - a.files.length,
  );
}

/** 0 for the worst. */
export function severity(status: FileStatus): number {
  return STATUSES.indexOf(status);
}
