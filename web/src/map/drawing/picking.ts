// What is under the pointer, found by arithmetic. Sigma reads the pixel there back from the graphics
// card, which makes the page wait until all is drawn; on a slow card every move of the pointer stalls.

import type Sigma from "sigma";
import { at } from "../graph";
import { Grid } from "../pick";

const NEAR = 3; // pixels beside a node that still are the node

/** Sigma's own: the one place where it asks, and the pictures it keeps only for that. */
interface Inside {
  getNodeAtPosition(position: { x: number; y: number }): string | null;
  pickingLayers: Set<string>;
}

export class Picking {
  private grid: Grid | null = null;
  private positions: Float32Array | null = null;
  private sizes: ArrayLike<number> = [];
  private drawn: ArrayLike<number> = [];
  private largest = 0;

  constructor(private readonly renderer: Sigma) {
    const inside = renderer as unknown as Inside;
    inside.getNodeAtPosition = ({ x, y }) => this.at(x, y);
    inside.pickingLayers.clear();
  }

  place(positions: Float32Array): void {
    this.positions = positions;
    this.grid = null;
  }

  dress(sizes: ArrayLike<number>, drawn: ArrayLike<number>): void {
    this.sizes = sizes;
    this.drawn = drawn;
    this.largest = Array.from(sizes).reduce((a, b) => Math.max(a, b), 0);
    this.grid = null;
  }

  private at(x: number, y: number): string | null {
    const { positions, renderer } = this;
    if (!positions) return null;
    this.grid ??= new Grid(positions, nodesOf(this.drawn));
    const unit = 1 / renderer.getGraphToViewportRatio(); // of the layout, a pixel
    const reach = (size: number) => (renderer.scaleSize(size) + NEAR) * unit;
    const place = renderer.viewportToGraph({ x, y });
    const found = this.grid.find(place.x, place.y, reach(this.largest), (node) =>
      reach(at(this.sizes, node)),
    );
    return found === null ? null : String(found);
  }
}

function nodesOf(drawn: ArrayLike<number>): number[] {
  return Array.from(drawn).flatMap((is, node) => (is ? [node] : []));
}
