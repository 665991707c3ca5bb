// Where the nodes stand: communities (Louvain, Blondel et al. 2008) are set down side by side, then
// ForceAtlas2 (Jacomy et al. 2014) moves them. The same links give the same map at every opening.

import { UndirectedGraph } from "graphology";
import louvain from "graphology-communities-louvain";
import forceAtlas2 from "graphology-layout-forceatlas2";
import { gathered } from "./counting";

const ROOM = 16; // distance between neighbours in a spiral, about that of the layout at rest
const TURN = Math.PI * (3 - Math.sqrt(5)); // the golden angle
const ROUND = 20; // steps between two looks at it
const ROUNDS = 20;
const MANY = 400; // nodes, from which forces are approximated
const LARGE = 3_000; // nodes, that are not moved for long
const AGAIN = 8; // rounds of these, and where most nodes had their places

export interface Task {
  /** Links by the numbers of their ends: a0, b0, a1, b1, … */
  ends: Uint32Array;
  weights: Float32Array;
  /** x, y of each node; NaN: not known. */
  places: Float32Array;
}

export interface Step {
  communities: Uint32Array;
  places: Float32Array;
  settled: boolean;
}

interface Place {
  x: number;
  y: number;
}

/** The layout at its beginning and after each round. */
export function* layout({ ends, weights, places }: Task): Generator<Step> {
  const graph = new UndirectedGraph<Place, { weight: number }>();
  const known = places.filter((value) => !Number.isNaN(value)).length > places.length / 2;
  for (let node = 0; node < places.length / 2; node++) graph.addNode(node, { x: 0, y: 0 });
  weights.forEach((weight, link) => {
    graph.updateEdge(ends[2 * link], ends[2 * link + 1], (before) => ({
      weight: (before.weight ?? 0) + weight,
    }));
  });
  const communities = Uint32Array.from({ length: graph.order }, (_, node) => node);
  if (graph.size) {
    for (const [node, community] of Object.entries(louvain(graph, { rng: seeded() })))
      communities[Number(node)] = community;
  }
  spread(communities, places, known).forEach((place, node) => {
    graph.mergeNodeAttributes(node, place);
  });
  const now = (settled: boolean): Step => ({
    communities,
    places: Float32Array.from(graph.mapNodes((_, { x, y }) => [x, y]).flat()),
    settled,
  });
  const rounds = graph.order < 2 ? 0 : known || graph.order > LARGE ? AGAIN : ROUNDS;
  yield now(rounds === 0);
  const rough = { barnesHutOptimize: graph.order > MANY, barnesHutTheta: 1.2 };
  const settings = { ...forceAtlas2.inferSettings(graph), ...rough };
  for (let round = 1; round <= rounds; round++) {
    forceAtlas2.assign(graph, { iterations: ROUND, settings });
    yield now(round === rounds);
  }
}

/** Places of all nodes: as known, else each community in a spiral, the largest inside. */
function spread(communities: Uint32Array, places: Float32Array, known: boolean): Place[] {
  const members = gathered(communities.keys(), (node) => communities[node]);
  const found: Place[] = [];
  let inside = 0;
  [...members.values()]
    .sort((a, b) => b.length - a.length)
    .forEach((nodes, group) => {
      const away = group ? 1.3 * ROOM * Math.sqrt(inside + nodes.length / 2) : 0;
      inside += nodes.length;
      nodes.forEach((node, n) => {
        const [x = Number.NaN, y = Number.NaN] = places.subarray(2 * node, 2 * node + 2);
        const near = ROOM * Math.sqrt(n);
        found[node] =
          known && !Number.isNaN(x)
            ? { x, y }
            : {
                x: away * Math.cos(group * TURN) + near * Math.cos(n * TURN),
                y: away * Math.sin(group * TURN) + near * Math.sin(n * TURN),
              };
      });
    });
  return found;
}

/** Numbers that look random and are the same each time (mulberry32). */
function seeded(): () => number {
  let state = 1;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
