// Where pages stand below each other: each has its place before its picture is there.

import type { BoxSides } from "../api/types";

export const GAP = 12; // pixels between two pages

/** Tops of pages, and the end of the last one; pages count from 1. */
export interface Layout {
  tops: readonly number[];
  height: number;
}

/** Where a view stands: `at` pixels below its top edge is `part` (0 to 1) of a page's height. */
export interface Anchor {
  page: number;
  part: number;
  at: number;
}

/** Pages of one width; of those whose shape (height by width) nobody knows yet it is `usual`. */
export function layout(
  pages: number,
  width: number,
  shapes: ReadonlyMap<number, number>,
  usual: number,
): Layout {
  const tops = [GAP];
  for (let page = 1; page <= pages; page++) {
    const height = Math.round(width * (shapes.get(page) ?? usual));
    tops.push((tops[page - 1] ?? 0) + height + GAP);
  }
  return { tops, height: tops[pages] ?? GAP };
}

export function topOf({ tops }: Layout, page: number): number {
  return tops[page - 1] ?? 0;
}

export function heightOf({ tops }: Layout, page: number): number {
  return (tops[page] ?? 0) - (tops[page - 1] ?? 0) - GAP;
}

/** The page at a height, the first or last beyond them. */
export function pageAt({ tops }: Layout, y: number): number {
  let [low, high] = [1, Math.max(1, tops.length - 1)];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((tops[middle - 1] ?? 0) <= y) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** What stands `at` pixels below the top edge of a view that is scrolled to `scroll`. */
export function anchorAt(pages: Layout, scroll: number, at: number): Anchor {
  const page = pageAt(pages, scroll + at);
  const height = heightOf(pages, page) || 1;
  return { page, part: (scroll + at - topOf(pages, page)) / height, at };
}

/** How far a view is scrolled that stands at `anchor`. */
export function scrollOf(pages: Layout, { page, part, at }: Anchor): number {
  return topOf(pages, page) + part * heightOf(pages, page) - at;
}

/** Where a view of a page begins: with its mark in sight, else with the page's top. */
export function arrival(page: number, mark: BoxSides | undefined, height: number): Anchor {
  return mark ? { page, part: mark[1], at: height / 3 } : { page, part: 0, at: GAP };
}
