// Where the nodes stand: communities (Louvain, Blondel et al. 2008) are set down side by side, then
// ForceAtlas2 (Jacomy et al. 2014) moves them. The same links give the same map at every opening.

import { UndirectedGraph } from "graphology";
import louvain from "graphology-communities-louvain";
import forceAtlas2 from "graphology-layout-forceatlas2";
import { AT_FIRST, drawnOf, type FileGraph, shows } from "./graph";

const ROOM = 10; // distance between neighbours at first, about that of the layout at rest
const STEPS = 400;
const LARGE = 700; // nodes, that are not moved for long
const FEWER = 120; // steps of these, and where most nodes had their places
const PULL = { similarity: 0.6, reference: 0.8, structure: 0.4 };

export interface Task {
  /** x, y of each node; NaN: not known. */
  places: (readonly [number, number])[];
  /** Two numbers of nodes, and how strongly they are drawn together. */
  links: [number, number, number][];
  /** Which nodes are drawn, and so have a place. */
  drawn: boolean[];
}

export interface Layout {
  communities: number[];
  places: (readonly [number, number])[];
}

/** What is laid out of a graph: the links that are shown at first. */
export function taskOf(graph: FileGraph): Task {
  const number = new Map(graph.nodes().map((path, n) => [path, n]));
  const links: Task["links"] = [];
  graph.forEachEdge((_, link, one, other) => {
    const pull = PULL[link.relation] * link.weight;
    if (shows(AT_FIRST, link)) links.push([number.get(one) ?? 0, number.get(other) ?? 0, pull]);
  });
  const shown = new Set(drawnOf(graph));
  const drawn = graph.mapNodes((path) => shown.has(path));
  return { places: graph.mapNodes((_, { x, y }) => [x, y]), links, drawn };
}

export function layout({ places, links, drawn }: Task): Layout {
  const graph = new UndirectedGraph<{ x: number; y: number }, { weight: number }>();
  for (const [node, [x, y]] of places.entries()) graph.addNode(node, { x, y });
  for (const [one, other, pull] of links)
    graph.updateEdge(one, other, ({ weight = 0 }) => ({ weight: weight + pull }));
  const found = graph.size ? louvain(graph, { randomWalk: false }) : {};
  const communities = Array.from(places, (_, node) => found[node] ?? node);
  for (const [node, kept] of drawn.entries()) if (!kept) graph.dropNode(node);
  const known = places.filter(([x]) => !Number.isNaN(x)).length > places.length / 2;
  const order = communities.map((community, node) => [community, node] as const);
  const shown = order
    .filter(([, node]) => drawn[node])
    .sort(([a, one], [b, other]) => a - b || one - other);
  shown.forEach(([, node], n) => {
    const turn = (2 * Math.PI * n) / shown.length; // on three rings, each community together
    const away = ROOM * Math.sqrt(shown.length) * (1 + (n % 3));
    if (!known || Number.isNaN(graph.getNodeAttribute(node, "x")))
      graph.replaceNodeAttributes(node, { x: away * Math.cos(turn), y: away * Math.sin(turn) });
  });
  const settings = { ...forceAtlas2.inferSettings(graph), barnesHutOptimize: graph.order > 400 };
  const iterations = known || graph.order > LARGE ? FEWER : STEPS;
  if (graph.order > 1) forceAtlas2.assign(graph, { iterations, settings });
  const placed = new Map(graph.mapNodes((node, { x, y }) => [Number(node), [x, y] as const]));
  return { communities, places: places.map((_, node) => placed.get(node) ?? [0, 0]) };
}
