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

/** Where a window on `text` begins and ends: its marks, and whole lines or words around them. */
export function around(text: string, marks: readonly Span[], margin: number): Span {
  const points = Array.from(text);
  const first = Math.min(...marks.map(([start]) => start), points.length);
  const last = Math.max(...marks.map(([, end]) => end), 0);
  if (marks.length === 0) return [0, cut(points, 2 * margin)];
  let start = Math.max(0, first - margin);
  if (start > 0) while (start < first && !/\s/u.test(points[start] ?? "")) start++;
  return [start, cut(points, last + margin)];
}

/** The end of the word at a place. */
function cut(points: readonly string[], at: number): number {
  let end = Math.min(at, points.length);
  while (end < points.length && !/\s/u.test(points[end] ?? "")) end++;
  return end;
}

/** Marks within a window, counted from its beginning. */
export function within(marks: readonly Span[], [start, end]: Span): Span[] {
  return marks
    .filter(([from, to]) => to > start && from < end)
    .map(([from, to]) => [Math.max(from, start) - start, Math.min(to, end) - start]);
}
