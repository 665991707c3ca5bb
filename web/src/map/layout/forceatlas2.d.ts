// The steps of the layout, which the package gives no types for.

declare module "graphology-layout-forceatlas2/iterate.js" {
  import type { ForceAtlas2Settings } from "graphology-layout-forceatlas2";

  /**
   * One step. Ten numbers a node: x, y, dx, dy, the last dx and dy, mass, convergence, size, fixed;
   * three a link: where its nodes begin in `nodes`, and its weight.
   */
  export default function iterate(
    settings: ForceAtlas2Settings,
    nodes: Float32Array,
    links: Float32Array,
  ): object;
}
