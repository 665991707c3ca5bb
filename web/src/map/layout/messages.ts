// What the page and the layout's worker say to each other. Arrays are handed over, not copied.

export interface Links {
  /** Which nodes take part: 1 for each that is drawn. */
  drawn: Uint8Array;
  ends: Uint32Array;
  weights: Float32Array;
}

export type ToWorker =
  | { kind: "graph"; links: Links; known: Float32Array | null; quiet: boolean }
  | { kind: "links"; links: Links }
  | { kind: "back"; positions: Float32Array };

export type FromWorker =
  | { kind: "communities"; of: Uint32Array }
  | { kind: "positions"; positions: Float32Array; settled: boolean };
