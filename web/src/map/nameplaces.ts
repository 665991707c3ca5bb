// Where the names of groups stand: beside their dots, and on no dot and no other name. A group for
// whose name there is no room has it in the legend only.

import { type Box, overlap } from "./labels";

const LEAST = 3; // files of a group that is named on the map
const TRIES = 14; // dots of a group, above or below which its name may stand
const FAR = 2; // times the usual distance from the middle; dots farther out are apart from the rest
const GAP = 4;
const HIGH = 20; // pixels of a line
const WIDE = 8.6; // pixels of a letter, about
const BESIDE = 9; // pixels left and right of a name: a short one may be all wide letters

export interface Dot {
  x: number;
  y: number;
  size: number;
}

export interface Named {
  id: number;
  name: string;
  dots: Dot[];
}

export interface NamePlace {
  id: number;
  name: string;
  x: number; // its middle
  y: number; // its top
}

export function boxOf({ x, y, size }: Dot): Box {
  return { left: x - size, right: x + size, top: y - size, bottom: y + size };
}

/** A place for each name that has room within the view; the first names choose first. */
export function namePlaces(
  groups: Named[],
  taken: readonly Box[],
  { width, height }: { width: number; height: number },
): NamePlace[] {
  const view = { left: 0, top: 0, right: width, bottom: height };
  const boxes = taken.filter((box) => overlap(box, view));
  return groups.flatMap(({ id, name, dots }) => {
    if (dots.length < LEAST) return [];
    const half = (WIDE * name.length) / 2 + BESIDE;
    for (const { x, y } of [...candidates(core(dots)), ...candidates(dots)]) {
      const box = { left: x - half, right: x + half, top: y, bottom: y + HIGH };
      if (box.left < 0 || box.right > width || box.top < 0 || box.bottom > height) continue;
      if (boxes.some((other) => overlap(box, other))) continue;
      boxes.push(box);
      return [{ id, name, x, y }];
    }
    return [];
  });
}

/** The dots that stand together; one that other links drew away does not take the name along. */
function core(dots: Dot[]): Dot[] {
  const [x, y] = [median(dots.map((dot) => dot.x)), median(dots.map((dot) => dot.y))];
  const away = (dot: Dot) => Math.hypot(dot.x - x, dot.y - y);
  const most = FAR * median(dots.map(away));
  return dots.filter((dot) => away(dot) <= most);
}

function median(numbers: number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;
}

/** Over the topmost dots, the group's middle first; then under the lowest. */
function candidates(dots: Dot[]): { x: number; y: number }[] {
  const sorted = dots.toSorted((a, b) => a.y - a.size - (b.y - b.size));
  const middle = dots.reduce((sum, dot) => sum + dot.x, 0) / dots.length;
  const over = sorted
    .slice(0, TRIES)
    .map((dot) => ({ x: dot.x, y: dot.y - dot.size - HIGH - GAP }));
  const under = sorted.slice(-TRIES).reverse();
  const below = under.map((dot) => ({ x: dot.x, y: dot.y + dot.size + GAP }));
  return [over, below].flatMap((all) =>
    all
      .slice(0, 1)
      .map(({ y }) => ({ x: middle, y }))
      .concat(all),
  );
}
