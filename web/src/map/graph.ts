// The library's files as a graph: files and folders by path, and what joins them.

import { MultiUndirectedGraph } from "graphology";
import type { Graph, GraphNode, Relation } from "../api/types";

/** The order in which relations are told. */
export const RELATIONS: readonly Relation[] = ["similarity", "reference", "structure"];
/** The server is asked for no weaker similarity. */
export const LEAST_ALIKE = 0.5;

/** Files that are drawn. */
export const MOST = 1_500;

export interface FileNode extends Pick<GraphNode, "kind" | "date" | "size"> {
  label: string;
  /** NaN until it is laid out. */
  x: number;
  y: number;
}

export interface FileLink {
  relation: Relation;
  weight: number;
  why: string;
}

export type FileGraph = MultiUndirectedGraph<FileNode, FileLink>;

export interface Filter {
  threshold: number; // of similarity
  relations: Record<Relation, boolean>;
}

const UNKNOWN = { x: Number.NaN, y: Number.NaN };

export const AT_FIRST: Filter = {
  threshold: 0.6,
  relations: { similarity: true, reference: true, structure: true },
};

/** The graph of an answer; what `before` had keeps its place. */
export function graphOf({ nodes, edges }: Graph, before?: FileGraph): FileGraph {
  const graph: FileGraph = new MultiUndirectedGraph();
  for (const { id, kind, date, size, title } of nodes) {
    const label = title?.trim() || id.split("/").filter(Boolean).at(-1) || id;
    const place = before?.hasNode(id) ? before.getNodeAttributes(id) : UNKNOWN;
    graph.addNode(id, { label, kind, date, size, x: place.x, y: place.y });
  }
  for (const [a, b, relation, weight, why] of edges)
    graph.addEdge(nodes[a]?.id, nodes[b]?.id, { relation, weight, why });
  return graph;
}

export function filesOf(graph: FileGraph): string[] {
  return graph.filterNodes((_, { kind }) => kind === "file");
}

/** What is drawn, however many there are: folders, and the files with the most links. */
export function drawnOf(graph: FileGraph): string[] {
  const files = filesOf(graph).sort((a, b) => graph.degree(b) - graph.degree(a));
  return [...graph.filterNodes((_, { kind }) => kind === "folder"), ...files.slice(0, MOST)];
}

export function shows({ threshold, relations }: Filter, { relation, weight }: FileLink): boolean {
  return relations[relation] && (relation !== "similarity" || weight >= threshold);
}

/** How many links of each relation a filter lets through. */
export function countsOf(graph: FileGraph, { threshold }: Filter): Record<Relation, number> {
  const counts = { similarity: 0, reference: 0, structure: 0 };
  graph.forEachEdge((_, { relation, weight }) => {
    if (relation !== "similarity" || weight >= threshold) counts[relation] += 1;
  });
  return counts;
}

/** The shown links of a node, each with the path of its other end, the strongest first. */
export function linksOf(graph: FileGraph, filter: Filter, path: string) {
  const all = graph.mapEdges(path, (_, link, one, other) => {
    return { ...link, path: one === path ? other : one };
  });
  return all.filter((link) => shows(filter, link)).sort((a, b) => b.weight - a.weight);
}

/** Nodes that have every word in name or path, whatever case or accents; shorter names first. */
export function find(graph: FileGraph, query: string): string[] {
  const folded = (text: string) => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
  const words = folded(query).split(/\s+/).filter(Boolean);
  const has = (text: string) => words.every((word) => folded(text).includes(word));
  const name = (path: string) => graph.getNodeAttribute(path, "label");
  const found = words.length
    ? graph.filterNodes((path, { label }) => has(`${label}\n${path}`))
    : [];
  const rank = (path: string) => (has(name(path)) ? 0 : 1_000) + name(path).length;
  return found.sort((a, b) => rank(a) - rank(b));
}
