// Which names stand beside their dots: the first that fit, on no dot and no other name.

export interface Spot {
  path: string;
  name: string;
  x: number;
  y: number;
}

const LONGEST = 34; // characters of a name
const WIDE = 6.6; // pixels of a letter, about
const HIGH = 14; // pixels of a line
const DOT = 7; // pixels from its middle that are kept free

/** A name as it is written. */
export function shortened(name: string): string {
  return name.length > LONGEST ? `${name.slice(0, LONGEST - 1).trimEnd()}…` : name;
}

/**
 * The paths of those that are named, the first choose first; `unit` is what a pixel is worth. From
 * `turn` on, names stand at the left of their dots.
 */
export function named(spots: Spot[], unit: number, turn: number): Set<string> {
  const dots = spots.map(({ x, y }) => [x - DOT * unit, x + DOT * unit, y, DOT * unit] as const);
  const taken: (readonly [number, number, number, number])[] = [...dots];
  const found = spots.filter(({ name, x, y }, at) => {
    const long = (2 * DOT + WIDE * shortened(name).length) * unit;
    const [left, right] = x > turn ? [x - long, x - DOT * unit] : [x + DOT * unit, x + long];
    const box = [left, right, y, (HIGH / 2) * unit] as const;
    const free = taken.every(
      (other) =>
        other === dots[at] ||
        box[0] >= other[1] ||
        box[1] <= other[0] ||
        Math.abs(y - other[2]) >= box[3] + other[3],
    );
    if (free) taken.push(box);
    return free;
  });
  return new Set(found.map(({ path }) => path));
}
