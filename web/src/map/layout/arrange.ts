// The arrangement of one graph: communities, a start, and forces until rest. The worker runs it.

import { UndirectedGraph } from "graphology";
import louvain from "graphology-communities-louvain";
import { at } from "../graph";
import { Force } from "./force";
import type { Links } from "./messages";
import { startOf } from "./start";

const REHEATED = 15; // steps at full speed after a change

export class Arrangement {
  /** x, y of all nodes, also of those that are not drawn now. */
  positions: Float32Array;
  communities: Uint32Array;
  private drawn: number[] = [];
  private force: Force;

  constructor(links: Links, known: Float32Array | null) {
    this.communities = communitiesOf(links);
    this.positions = startOf(this.communities, links.ends, links.weights, known);
    this.force = this.forceOf(links, known ? REHEATED : undefined);
  }

  /** Other links: communities anew, and on from the present positions. */
  change(links: Links): void {
    this.communities = communitiesOf(links);
    this.force = this.forceOf(links, REHEATED);
  }

  get settled(): boolean {
    return this.force.settled;
  }

  step(): void {
    this.force.step();
  }

  /** Takes over where the forces moved the nodes. */
  update(): void {
    const found = this.force.positions();
    this.drawn.forEach((node, place) => {
      this.positions[2 * node] = at(found, 2 * place);
      this.positions[2 * node + 1] = at(found, 2 * place + 1);
    });
  }

  private forceOf({ drawn, ends, weights }: Links, warm?: number): Force {
    const places = new Uint32Array(drawn.length);
    this.drawn = [];
    drawn.forEach((is, node) => {
      if (is) places[node] = this.drawn.push(node) - 1;
    });
    const positions = new Float32Array(2 * this.drawn.length);
    this.drawn.forEach((node, place) => {
      positions[2 * place] = at(this.positions, 2 * node);
      positions[2 * place + 1] = at(this.positions, 2 * node + 1);
    });
    return new Force(
      positions,
      ends.map((end) => at(places, end)),
      weights,
      warm,
    );
  }
}

/** Louvain (Blondel et al. 2008) over the links; the same links give the same communities. */
export function communitiesOf({ drawn, ends, weights }: Links): Uint32Array {
  const graph = new UndirectedGraph<{ community: number }, { weight: number }>();
  for (let node = 0; node < drawn.length; node++) graph.addNode(node, { community: node });
  weights.forEach((weight, link) => {
    const [a, b] = [at(ends, 2 * link), at(ends, 2 * link + 1)];
    graph.updateEdge(a, b, (before) => ({ weight: (before.weight ?? 0) + weight }));
  });
  if (graph.size) louvain.assign(graph, { rng: seeded() });
  const of = new Uint32Array(drawn.length);
  graph.forEachNode((node, { community }) => {
    of[Number(node)] = community;
  });
  return of;
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
