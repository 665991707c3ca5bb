// Spans of a text. The server counts Unicode code points, JavaScript counts UTF-16 units.

import type { Span } from "../api/types";

export interface Piece {
  text: string;
  marked: boolean;
  /** Where it begins, in code points. */
  start: number;
}

/** `text` cut where marks begin and end. Marks may overlap, be empty or reach beyond the text. */
export function pieces(text: string, marks: readonly Span[]): Piece[] {
  const points = Array.from(text);
  const found: Piece[] = [];
  let at = 0;
  const take = (end: number, marked: boolean) => {
    if (end <= at) return;
    found.push({ text: points.slice(at, end).join(""), marked, start: at });
    at = end;
  };
  for (const [start, end] of [...marks].sort((a, b) => a[0] - b[0])) {
    if (end <= start || start >= points.length) continue;
    take(start, false);
    take(Math.min(end, points.length), true);
  }
  take(points.length, false);
  return found;
}
