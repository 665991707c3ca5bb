// ForceAtlas2 (Jacomy et al. 2014, with Barnes-Hut) until the nodes rest. Steps are taken one by
// one, so that the forces' memory of the last step is kept between them.

import type { ForceAtlas2Settings } from "graphology-layout-forceatlas2";
import iterate from "graphology-layout-forceatlas2/iterate.js";
import { at } from "../graph";

const NODE = 10; // numbers a node
const LINK = 3;
const MASS = 6;
const CONVERGENCE = 7;

const MANY = 400; // nodes, from which forces are approximated
const COOL = 1.015; // how much slower each step is, once warm
const WARM = 40; // steps at full speed
const REST = 0.0006; // of the map's width: a mean move below it is rest
const STEPS = 500; // at most

export class Force {
  private readonly nodes: Float32Array;
  private readonly links: Float32Array;
  private readonly settings: ForceAtlas2Settings;
  private readonly pace: number;
  private steps = 0;
  settled = false;

  /** Positions are x, y, x, y…; `ends` and `weights` are of links between these nodes. */
  constructor(positions: Float32Array, ends: Uint32Array, weights: Float32Array, warm = WARM) {
    const count = positions.length / 2;
    this.nodes = new Float32Array(count * NODE);
    this.links = new Float32Array(weights.length * LINK);
    for (let node = 0; node < count; node++) {
      this.nodes[node * NODE] = at(positions, 2 * node);
      this.nodes[node * NODE + 1] = at(positions, 2 * node + 1);
      this.nodes[node * NODE + MASS] = 1;
      this.nodes[node * NODE + CONVERGENCE] = 1;
    }
    weights.forEach((weight, link) => {
      const [a, b] = [at(ends, 2 * link) * NODE, at(ends, 2 * link + 1) * NODE];
      this.links.set([a, b, weight], link * LINK);
      this.nodes[a + MASS] = at(this.nodes, a + MASS) + weight;
      this.nodes[b + MASS] = at(this.nodes, b + MASS) + weight;
    });
    this.pace = 1 + Math.log(Math.max(count, 2));
    this.settings = {
      barnesHutOptimize: count > MANY,
      barnesHutTheta: 1,
      edgeWeightInfluence: 1,
      scalingRatio: 10,
      strongGravityMode: true,
      gravity: 0.05,
      slowDown: this.pace,
    };
    this.steps = WARM - warm;
    this.settled = count < 2;
  }

  step(): void {
    if (this.settled) return;
    const before = this.positions();
    const cooling = Math.max(0, this.steps - WARM);
    this.settings.slowDown = this.pace * COOL ** cooling;
    iterate(this.settings, this.nodes, this.links);
    this.steps += 1;
    const moved = this.moved(before);
    this.settled = this.steps >= STEPS || (cooling > 0 && moved < REST);
  }

  /** How far nodes went on the mean, as a part of the map's width. */
  private moved(before: Float32Array): number {
    const count = before.length / 2;
    let [sum, spread] = [0, 0];
    for (let node = 0; node < count; node++) {
      const [x, y] = [at(this.nodes, node * NODE), at(this.nodes, node * NODE + 1)];
      sum += Math.hypot(x - at(before, 2 * node), y - at(before, 2 * node + 1));
      spread += Math.hypot(x, y);
    }
    return spread > 0 ? sum / (2 * spread) : 0;
  }

  positions(): Float32Array {
    const count = this.nodes.length / NODE;
    const positions = new Float32Array(2 * count);
    for (let node = 0; node < count; node++) {
      positions[2 * node] = at(this.nodes, node * NODE);
      positions[2 * node + 1] = at(this.nodes, node * NODE + 1);
    }
    return positions;
  }
}
