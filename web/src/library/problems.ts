// Why files were not read, or not whole: the reasons in groups, each with what a person can do.

import type { FileItem, FileStatus } from "../api/types";

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

const NOTHING = "Nothing needs to be done.";

// The first rule that fits a reason decides. The reasons are those of `documents` and `index`.
const RULES: [RegExp, Problem][] = [
  [
    /password|encrypted/i,
    {
      title: "Protected by a password",
      advice: "Open the file, save a copy without the password beside it, then update.",
    },
  ],
  [
    /no permission/i,
    {
      title: "Not allowed to be read",
      advice: "Give your user the right to read these files, then update.",
    },
  ],
  [
    /disappeared/i,
    {
      title: "Gone while it was read",
      advice: "If you moved or deleted it, the next update takes notice of that.",
    },
  ],
  [
    /vision model (?:failed|took|gave)|no sense/i,
    {
      title: "The model for pictures failed",
      advice: "The photos are found by their name and date. Update to try again.",
    },
  ],
  [
    /no vision model|no words in it/i,
    {
      title: "Photos that nothing describes yet",
      advice:
        "They are found by their name and date. With a model for pictures, what they show is found, too.",
      way: "models",
    },
  ],
  [
    /words are not read yet|scans? without text/i,
    {
      title: "Scans whose words are not read",
      advice: "Let scans and pictures be read, then update.",
      way: "settings",
    },
  ],
  [
    /HEIC/,
    {
      title: "HEIC photos",
      advice: "Install Manole with the extra manole[heic], or save the photos as JPEG.",
    },
  ],
  [
    /no library here opens/i,
    { title: "Pictures of a rare format", advice: "Save them as PNG or JPEG to have them read." },
  ],
  [
    /^refused/i,
    {
      title: "Refused for safety",
      advice: "It unpacks to far more than such a file should. Save it anew in its own program.",
    },
  ],
  [
    /larger than|needs more than|took longer than|within the limits|only (?:the first|\d+ of)/i,
    {
      title: "Too large for the limits",
      advice:
        "What was read can be found. To read more, raise the limits in the section extract of manole.toml.",
    },
  ],
  [
    /others are being read|reading was stopped/i,
    { title: "Not finished yet", advice: "The rest is read by this update, or by the next one." },
  ],
  [
    /^broken|binary content|parser|sensible answer|crash|cannot be opened|pages? cannot be read/i,
    {
      title: "Damaged, or not what the name says",
      advice:
        "Open it in its own program. If that works, save it anew and read it again here; if not, take it from a backup.",
    },
  ],
  [
    /cannot be read/i,
    {
      title: "Out of reach",
      advice: "See whether its disk or network drive is connected, then read it again.",
    },
  ],
  [
    /^old (?:Word|PowerPoint)/i,
    {
      title: "Old Office formats",
      advice: "Their words are found. Saved as .docx or .pptx, their structure is kept, too.",
    },
  ],
  [
    /^(?:archive|audio|video|program|font|database)\b|unknown binary/i,
    {
      title: "No documents",
      advice: `${NOTHING} What lies in an archive is read once it is unpacked.`,
    },
  ],
  [/empty file|no text inside|without text|no pages inside/i, { title: "Empty", advice: NOTHING }],
];

/** What a reason means to a person. An unknown one stands for itself. */
export function explain(reason: string | null, status: FileStatus): Problem {
  const text = reason?.trim() ?? "";
  const known = RULES.find(([pattern]) => pattern.test(text));
  if (known) return known[1];
  return {
    title: text ? text.charAt(0).toUpperCase() + text.slice(1) : "No reason was given",
    advice: status === "skipped" ? NOTHING : "Read it again; if that does not help, save it anew.",
  };
}

/** Files that were not read whole, grouped by what can be done, the worst and largest first. */
export function problemsOf(files: readonly FileItem[]): ProblemGroup[] {
  const groups = new Map<string, ProblemGroup>();
  for (const file of files) {
    if (file.status === "indexed") continue;
    const problem = explain(file.reason, file.status);
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
