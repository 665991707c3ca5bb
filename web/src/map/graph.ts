// The graph as the map works with it: the links of each relation, the heaviest first, so that a
// threshold is a place in a row; and the links around each node.

import type { Graph, GraphEdge, GraphNode, Relation } from "../api/types";

export const RELATIONS: readonly Relation[] = ["structure", "similarity", "reference"];

export interface Model {
  nodes: GraphNode[];
  names: string[];
  byId: Map<string, number>;
  files: number;
  /** Source and target of link n stand at 2n and 2n + 1. */
  ends: Uint32Array;
  weights: Float64Array;
  whys: string[];
  /** Where the links of a relation begin and end. */
  ranges: Record<Relation, readonly [number, number]>;
  /** The links of node n: `around` from `starts[n]` to `starts[n + 1]`. */
  starts: Uint32Array;
  around: Uint32Array;
}

export interface Filter {
  threshold: number; // of similarity
  relations: Record<Relation, boolean>;
}

/** How many links of each relation are shown: the first ones, which are the heaviest. */
export type Shown = Record<Relation, number>;

export interface Link {
  link: number;
  other: number;
  relation: Relation;
  weight: number;
  why: string;
}

export function modelOf(graph: Graph): Model {
  const { nodes } = graph;
  const sound = graph.edges.filter(([a, b]) => a !== b && nodes[a] && nodes[b]);
  const edges: GraphEdge[] = [];
  const ranges = {} as Model["ranges"];
  for (const relation of RELATIONS) {
    const own = sound.filter((edge) => edge[2] === relation).sort((a, b) => b[3] - a[3]);
    ranges[relation] = [edges.length, edges.length + own.length];
    for (const edge of own) edges.push(edge);
  }
  const ends = new Uint32Array(2 * edges.length);
  edges.forEach(([a, b], link) => {
    ends.set([a, b], 2 * link);
  });
  return {
    nodes,
    names: nodes.map(nameOf),
    byId: new Map(nodes.map((node, index) => [node.id, index])),
    files: nodes.filter((node) => node.kind === "file").length,
    ends,
    weights: Float64Array.from(edges, (edge) => edge[3]),
    whys: edges.map((edge) => edge[4] ?? ""),
    ranges,
    ...adjacency(nodes.length, ends),
  };
}

function adjacency(nodes: number, ends: Uint32Array): Pick<Model, "starts" | "around"> {
  const starts = new Uint32Array(nodes + 1);
  for (const end of ends) starts[end + 1] = at(starts, end + 1) + 1;
  for (let node = 0; node < nodes; node++)
    starts[node + 1] = at(starts, node + 1) + at(starts, node);
  const next = starts.slice();
  const around = new Uint32Array(ends.length);
  ends.forEach((end, place) => {
    around[at(next, end)] = place >> 1;
    next[end] = at(next, end) + 1;
  });
  return { starts, around };
}

/** What a person calls it: its title, else the last part of its path. */
export function nameOf(node: GraphNode): string {
  return node.title?.trim() || node.id.split("/").filter(Boolean).at(-1) || node.id;
}

export function shownOf(model: Model, filter: Filter): Shown {
  const shown = {} as Shown;
  for (const relation of RELATIONS) {
    const [from, to] = model.ranges[relation];
    const all =
      relation === "similarity" ? reaching(model.weights, from, to, filter.threshold) : to;
    shown[relation] = filter.relations[relation] ? all - from : 0;
  }
  return shown;
}

/** The first place from `from` on whose weight is below `threshold`; weights fall. */
function reaching(weights: Float64Array, from: number, to: number, threshold: number): number {
  let [low, high] = [from, to];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (at(weights, middle) >= threshold) low = middle + 1;
    else high = middle;
  }
  return low;
}

export function countOf(shown: Shown): number {
  return RELATIONS.reduce((sum, relation) => sum + shown[relation], 0);
}

function relationOf(model: Model, link: number): Relation {
  return RELATIONS.find((relation) => link < model.ranges[relation][1]) ?? "structure";
}

/** The shown links of a node, the heaviest of each relation first. */
export function linksOf(model: Model, shown: Shown, node: number): Link[] {
  const found: Link[] = [];
  for (let place = at(model.starts, node); place < at(model.starts, node + 1); place++) {
    const link = at(model.around, place);
    const relation = relationOf(model, link);
    if (link - model.ranges[relation][0] >= shown[relation]) continue;
    const [a, b] = [at(model.ends, 2 * link), at(model.ends, 2 * link + 1)];
    const other = a === node ? b : a;
    found.push({
      link,
      other,
      relation,
      weight: at(model.weights, link),
      why: model.whys[link] ?? "",
    });
  }
  return found;
}

/** How many links of each node are shown. */
export function degreesOf(model: Model, shown: Shown): Uint32Array {
  const degrees = new Uint32Array(model.nodes.length);
  for (const relation of RELATIONS) {
    const from = model.ranges[relation][0];
    for (let place = 2 * from; place < 2 * (from + shown[relation]); place++) {
      const end = at(model.ends, place);
      degrees[end] = at(degrees, end) + 1;
    }
  }
  return degrees;
}

/** Which nodes are drawn: every file, and the folders while what lies in them is shown. */
export function drawnOf(model: Model, filter: Filter): Uint8Array {
  const folders = filter.relations.structure ? 1 : 0;
  return Uint8Array.from(model.nodes, (node) => (node.kind === "file" ? 1 : folders));
}

/** A number of a typed array at a place that is known to be in it. */
export function at(array: ArrayLike<number>, place: number): number {
  return array[place] as number;
}
