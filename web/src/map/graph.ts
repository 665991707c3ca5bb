// The library's files as a graph that sigma draws: files and folders by path, and what joins them.

import { MultiUndirectedGraph } from "graphology";
import type { Graph, GraphNode, Relation } from "../api/types";

/** The order in which relations are told. */
export const RELATIONS: readonly Relation[] = ["similarity", "reference", "structure"];

/** The server tells of no weaker similarity. */
export const LEAST_ALIKE = 0.6;

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

export const EVERY_LINK: Filter = {
  threshold: LEAST_ALIKE,
  relations: { similarity: true, reference: true, structure: true },
};

/** A link as one of its ends sees it. */
export interface Link extends FileLink {
  other: string;
}

/** How much a filter shows. */
export interface Shown {
  links: number;
  of: Record<Relation, number>;
  degrees: Map<string, number>;
}

/** The graph of an answer; what `before` had keeps its place. */
export function graphOf({ nodes, edges }: Graph, before?: FileGraph): FileGraph {
  const graph: FileGraph = new MultiUndirectedGraph();
  for (const node of nodes) {
    const { kind, date, size } = node;
    const known = before?.hasNode(node.id) ? before.getNodeAttributes(node.id) : null;
    const place = { x: known?.x ?? Number.NaN, y: known?.y ?? Number.NaN };
    graph.addNode(node.id, { label: nameOf(node), kind, date, size, ...place });
  }
  for (const [a, b, relation, weight, why] of edges) {
    const [one, other] = [nodes[a]?.id, nodes[b]?.id];
    if (one !== undefined && other !== undefined && one !== other)
      graph.addEdge(one, other, { relation, weight, why });
  }
  return graph;
}

/** What a person calls it: its title, else the last part of its path. */
export function nameOf(node: Pick<GraphNode, "id" | "title">): string {
  return node.title?.trim() || node.id.split("/").filter(Boolean).at(-1) || node.id;
}

export function filesOf(graph: FileGraph): string[] {
  return graph.filterNodes((_, { kind }) => kind === "file");
}

export function shows({ threshold, relations }: Filter, { relation, weight }: FileLink): boolean {
  return relations[relation] && (relation !== "similarity" || weight >= threshold);
}

/** Files always; folders while what lies in them is shown. */
export function isDrawn({ relations }: Filter, { kind }: Pick<FileNode, "kind">): boolean {
  return kind === "file" || relations.structure;
}

export function shownOf(graph: FileGraph, filter: Filter): Shown {
  const of = { similarity: 0, reference: 0, structure: 0 };
  const degrees = new Map<string, number>();
  graph.forEachEdge((_, link, one, other) => {
    if (!shows(filter, link)) return;
    of[link.relation] += 1;
    for (const end of [one, other]) degrees.set(end, (degrees.get(end) ?? 0) + 1);
  });
  return { links: of.similarity + of.reference + of.structure, of, degrees };
}

/** The shown links of a node, the strongest of each relation first. */
export function linksOf(graph: FileGraph, filter: Filter, path: string): Link[] {
  const found: Link[] = [];
  graph.forEachEdge(path, (_, link, one, other) => {
    if (shows(filter, link)) found.push({ ...link, other: one === path ? other : one });
  });
  return found.sort((a, b) => b.weight - a.weight);
}
