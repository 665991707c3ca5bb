// Where nodes stand before the forces work: groups first, as if each were one node, then the
// members of each in a spiral around its middle. It is the same at every opening.

import { at } from "../graph";
import { Force } from "./force";

const ROOM = 16; // distance between neighbours in a spiral, about that of the layout at rest
const TURN = Math.PI * (3 - Math.sqrt(5)); // the golden angle
const GROUP_STEPS = 150;

/** Positions of all nodes. Those that `known` has (no NaN) are kept. */
export function startOf(
  community: ArrayLike<number>,
  ends: Uint32Array,
  weights: Float32Array,
  known: Float32Array | null,
): Float32Array {
  const members = new Map<number, number[]>();
  for (let node = 0; node < community.length; node++) {
    const group = at(community, node);
    const others = members.get(group);
    if (others) others.push(node);
    else members.set(group, [node]);
  }
  const groups = [...members].sort((a, b) => b[1].length - a[1].length || a[0] - b[0]);
  const places = new Map(groups.map(([group], place) => [group, place]));
  const centres = centresOf(
    groups.length,
    groups.map(([, nodes]) => nodes.length),
  );
  arrange(centres, places, community, ends, weights, community.length);
  const positions = new Float32Array(2 * community.length);
  groups.forEach(([, nodes], place) => {
    nodes.forEach((node, n) => {
      const away = ROOM * Math.sqrt(n);
      positions[2 * node] = at(centres, 2 * place) + away * Math.cos(n * TURN);
      positions[2 * node + 1] = at(centres, 2 * place + 1) + away * Math.sin(n * TURN);
    });
  });
  return known ? kept(positions, known) : positions;
}

/** The groups' middles in a spiral, the largest inside, each with the room it needs. */
function centresOf(count: number, sizes: number[]): Float32Array {
  const centres = new Float32Array(2 * count);
  let inside = 0;
  sizes.forEach((size, place) => {
    const away = 1.3 * ROOM * Math.sqrt(inside + size / 2);
    centres[2 * place] = place ? away * Math.cos(place * TURN) : 0;
    centres[2 * place + 1] = place ? away * Math.sin(place * TURN) : 0;
    inside += size;
  });
  return centres;
}

/** Moves groups that are much linked to each other together; the spread stays what it was. */
function arrange(
  centres: Float32Array,
  places: Map<number, number>,
  community: ArrayLike<number>,
  ends: Uint32Array,
  weights: Float32Array,
  nodes: number,
): void {
  const count = centres.length / 2;
  if (count < 3) return;
  const between = new Map<number, number>();
  weights.forEach((weight, link) => {
    const a = places.get(at(community, at(ends, 2 * link))) ?? 0;
    const b = places.get(at(community, at(ends, 2 * link + 1))) ?? 0;
    if (a === b) return;
    const pair = Math.min(a, b) * count + Math.max(a, b);
    between.set(pair, (between.get(pair) ?? 0) + weight);
  });
  const pairs = [...between.keys()].flatMap((pair) => [Math.floor(pair / count), pair % count]);
  const strengths = Float32Array.from(between.values(), (weight) => (weight * count) / nodes);
  const force = new Force(centres, Uint32Array.from(pairs), strengths);
  for (let step = 0; step < GROUP_STEPS && !force.settled; step++) force.step();
  const found = force.positions();
  const scale = spread(centres) / (spread(found) || 1);
  found.forEach((value, place) => {
    centres[place] = value * scale;
  });
}

function spread(positions: Float32Array): number {
  return Math.sqrt(positions.reduce((sum, value) => sum + value * value, 0));
}

function kept(positions: Float32Array, known: Float32Array): Float32Array {
  return positions.map((value, place) => {
    const before = known[place];
    return before === undefined || Number.isNaN(before) ? value : before;
  });
}
