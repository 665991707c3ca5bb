// Where the nodes stand: now, and when a library's map was last seen.

import { at, type Model } from "../graph";

/** The latest positions (x, y of each node), and who is told of new ones. */
export class Positions {
  now: Float32Array | null = null;
  private readonly listeners = new Set<(positions: Float32Array) => void>();

  set(positions: Float32Array): void {
    this.now = positions;
    for (const tell of this.listeners) tell(positions);
  }

  listen(tell: (positions: Float32Array) => void): () => void {
    this.listeners.add(tell);
    if (this.now) tell(this.now);
    return () => this.listeners.delete(tell);
  }
}

const remembered = new Map<string, Map<string, readonly [number, number]>>();

/** Keeps the places of a library's files, so that its map opens as it was left. */
export function remember(library: string, model: Model, positions: Float32Array): void {
  const places = new Map<string, readonly [number, number]>();
  model.nodes.forEach((node, index) => {
    places.set(node.id, [at(positions, 2 * index), at(positions, 2 * index + 1)]);
  });
  remembered.set(library, places);
}

/** What was kept, for the nodes that there are now; NaN for new ones. Null: nothing was kept. */
export function recall(library: string, model: Model): Float32Array | null {
  const places = remembered.get(library);
  if (!places) return null;
  return Float32Array.from(model.nodes.flatMap((node) => places.get(node.id) ?? [NaN, NaN]));
}
