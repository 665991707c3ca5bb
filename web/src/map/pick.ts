// Which node is at a place: nodes are sorted into the cells of a grid, so that few are looked at.

import { at } from "./graph";

export class Grid {
  private readonly starts: Uint32Array; // where each cell's nodes begin in `order`
  private readonly order: Uint32Array;
  private readonly cell: number;
  private readonly columns: number;
  private readonly rows: number;
  private left = Number.POSITIVE_INFINITY;
  private top = Number.POSITIVE_INFINITY;

  /** Positions are x, y of each node; `nodes` are those that can be found. */
  constructor(
    private readonly positions: ArrayLike<number>,
    nodes: readonly number[],
  ) {
    let [right, bottom] = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY];
    for (const node of nodes) {
      this.left = Math.min(this.left, at(positions, 2 * node));
      this.top = Math.min(this.top, at(positions, 2 * node + 1));
      right = Math.max(right, at(positions, 2 * node));
      bottom = Math.max(bottom, at(positions, 2 * node + 1));
    }
    const side = Math.max(right - this.left, bottom - this.top, 1);
    this.cell = side / Math.max(1, Math.ceil(Math.sqrt(nodes.length)));
    this.columns = Math.max(1, Math.floor((right - this.left) / this.cell) + 1);
    this.rows = Math.max(1, Math.floor((bottom - this.top) / this.cell) + 1);
    this.starts = new Uint32Array(this.columns * this.rows + 1);
    this.order = new Uint32Array(nodes.length);
    const cells = nodes.map((node) => this.cellOf(node));
    for (const cell of cells) this.starts[cell + 1] = at(this.starts, cell + 1) + 1;
    for (let cell = 0; cell < this.columns * this.rows; cell++) {
      this.starts[cell + 1] = at(this.starts, cell + 1) + at(this.starts, cell);
    }
    const next = this.starts.slice();
    nodes.forEach((node, place) => {
      const cell = at(cells, place);
      this.order[at(next, cell)] = node;
      next[cell] = at(next, cell) + 1;
    });
  }

  private cellOf(node: number): number {
    const column = Math.floor((at(this.positions, 2 * node) - this.left) / this.cell);
    const row = Math.floor((at(this.positions, 2 * node + 1) - this.top) / this.cell);
    return row * this.columns + column;
  }

  /** The node whose middle is nearest to x, y of those that reach there; `most` reach no farther. */
  find(x: number, y: number, most: number, reachOf: (node: number) => number): number | null {
    const span = (value: number, from: number, count: number): [number, number] => [
      Math.max(0, Math.floor((value - most - from) / this.cell)),
      Math.min(count - 1, Math.floor((value + most - from) / this.cell)),
    ];
    const [left, right] = span(x, this.left, this.columns);
    const [top, bottom] = span(y, this.top, this.rows);
    let found: number | null = null;
    let nearest = Number.POSITIVE_INFINITY;
    for (let row = top; row <= bottom; row++) {
      const first = at(this.starts, row * this.columns + left);
      const end = left <= right ? at(this.starts, row * this.columns + right + 1) : first;
      for (let place = first; place < end; place++) {
        const node = at(this.order, place);
        const dx = at(this.positions, 2 * node) - x;
        const away = Math.hypot(dx, at(this.positions, 2 * node + 1) - y);
        if (away < nearest && away <= reachOf(node)) [found, nearest] = [node, away];
      }
    }
    return found;
  }
}
