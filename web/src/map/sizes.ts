// How large each node is drawn.

import { at, type Model } from "./graph";

export type SizeBy = "links" | "size";

/** Radii in pixels: by the number of links, or by the file's size. The more nodes, the smaller. */
export function sizesOf(model: Model, degrees: ArrayLike<number>, by: SizeBy): Float32Array {
  const crowd = Math.min(1, Math.log10(Math.max(model.nodes.length, 30) / 30) / 2.5); // 1: 10,000
  const [least, most] = [5.5 - 4.1 * crowd, 13 - 8.5 * crowd];
  const values = model.nodes.map((node, index) => {
    if (by === "links") return Math.sqrt(at(degrees, index));
    return Math.log2(1 + (node.size ?? 0) / 1024);
  });
  const top = values.reduce((a, b, index) => (isFile(model, index) ? Math.max(a, b) : a), 0);
  return Float32Array.from(values, (value, index) =>
    isFile(model, index) ? least + (most - least) * (top ? value / top : 0) : least + 0.8,
  );
}

function isFile(model: Model, node: number): boolean {
  return model.nodes[node]?.kind === "file";
}
