// What a tool found, read out of a result. The objects come from tools that are not known here, plug-ins
// among them: a field that is missing or of another type counts as not given.

import type { ResultEvent } from "../../api/types";
import type { Place } from "../../source/place";

export interface Found {
  file: string;
  page: number | null;
  line: number | null;
  lineEnd: number | null;
  title: string;
  headings: string[];
  /** The own day of a file or an entry, and the moment a file was changed. */
  date: string;
  modified: string;
  text: string;
  /** The model that described a page; "" for words that stand there. */
  seenBy: string;
  /** The lines of a page that fit, best first. */
  lines: string[];
  folder: string;
  type: string;
  size: number | null;
  files: number | null;
}

const SHORT = 320; // characters of a passage: some four lines
const LONG = 4000; // of what a model may have written without end

/** The objects of a result. */
export function foundIn({ objects }: ResultEvent): Found[] {
  return objects.map((object) => {
    const text = (...keys: string[]) => keys.map((key) => object[key]).find(isText) ?? "";
    const number = (...keys: string[]) => keys.map((key) => object[key]).find(isNumber) ?? null;
    const list = (key: string): unknown[] => {
      const value = object[key];
      return Array.isArray(value) ? value : [];
    };
    return {
      file: text("file"),
      page: number("page", "page_number"),
      line: number("line"),
      lineEnd: number("line_end"),
      title: text("title"),
      headings: list("headings").filter(isText),
      date: text("date"),
      modified: text("modified"),
      text: text("text", "interpretation", "summary"),
      seenBy: text("seen_by"),
      lines: list("lines").map(lineText).filter(Boolean),
      folder: text("folder"),
      type: text("type"),
      size: number("size"),
      files: number("files"),
    };
  });
}

const isText = (value: unknown): value is string => typeof value === "string";
const isNumber = (value: unknown): value is number => Number.isFinite(value);

function lineText(line: unknown): string {
  const text = isText(line) ? line : (line as { text?: unknown } | null)?.text;
  return isText(text) ? text : "";
}

/** Where it stands: its best line, or its lines. */
export function placeOf({ file, page, line, lineEnd, lines }: Found): Place {
  return { file, page, line, lineEnd, quote: lines[0] ?? null };
}

/** A text on one line, cut at a word. */
export function shortened(text: string, most = SHORT): string {
  const flat = text.replace(/\s+/g, " ").trim();
  const points = Array.from(flat);
  if (points.length <= most) return flat;
  const cut = points.slice(0, most).join("");
  const blank = cut.lastIndexOf(" ");
  return `${blank > most / 2 ? cut.slice(0, blank) : cut} …`;
}

/** A text with its lines, no longer than a screen or two of it. */
export function clipped(text: string): string {
  return text.length > LONG ? `${text.slice(0, LONG)} …` : text;
}
