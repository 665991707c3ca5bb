// The rows of a sheet: Manole keeps them as the rows of Markdown tables.

import type { Span } from "../api/types";
import type { TextLine } from "./lines";

export interface Cell {
  text: string;
  /** What is marked of it, in code points from its own beginning. */
  marks: Span[];
}

export interface SheetRow {
  number: number;
  cells: Cell[];
}

const RULE = /^\|(\s*:?-+:?\s*\|)+$/;

/** The rows of the table that the lines are; null where they are none. */
export function rowsOf(lines: TextLine[]): SheetRow[] | null {
  const rows: SheetRow[] = [];
  for (const line of lines) {
    const text = line.text.trim();
    if (!text || RULE.test(text)) continue;
    if (!text.startsWith("|") || !text.endsWith("|")) return null;
    rows.push({ number: line.number, cells: cellsOf(line) });
  }
  return rows.length > 0 ? rows : null;
}

/** Cells end at a bar, unless a backslash stands before it. */
function cellsOf(line: TextLine): Cell[] {
  const points = [...line.text];
  const cells: Cell[] = [];
  let from = points.indexOf("|") + 1;
  for (let at = from; at < points.length; at++) {
    if (points[at] !== "|" || points[at - 1] === "\\") continue;
    let [start, end] = [from, at];
    while (start < end && points[start] === " ") start++;
    while (end > start && points[end - 1] === " ") end--;
    const marks = line.marks
      .filter(([a, b]) => a < end && b > start)
      .map(([a, b]): Span => [Math.max(a, start) - start, Math.min(b, end) - start]);
    cells.push({ text: points.slice(start, end).join(""), marks });
    from = at + 1;
  }
  return cells;
}
