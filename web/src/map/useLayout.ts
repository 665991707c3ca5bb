// The layout of what a filter shows. It goes on from where the nodes stand whenever that changes.

import { useEffect, useState } from "react";
import type { Relation } from "../api/types";
import { say } from "../language";
import { type FileGraph, type Filter, isDrawn, shows } from "./graph";
import { type Groups, groupsOf } from "./groups";
import type { Step, Task } from "./layout";

/** How strongly each relation draws its files together. */
const PULL: Record<Relation, (weight: number) => number> = {
  similarity: (weight) => 2 * (weight - 0.5), // 0.6 is little, 1 is the same
  reference: (weight) => weight,
  structure: (weight) => 0.4 * weight,
};

export interface Layout {
  /** Null until the files are grouped and have a place. */
  groups: Groups | null;
  arranging: boolean;
  /** Why there is no layout, if it cannot be. */
  error: string | null;
}

export function useLayout(graph: FileGraph, filter: Filter): Layout {
  const [layout, setLayout] = useState<Layout & { graph?: FileGraph }>(NONE);
  useEffect(() => {
    const { nodes, task } = taskOf(graph, filter);
    const worker = new Worker(new URL("./layout.worker.ts", import.meta.url), { type: "module" });
    setLayout((before) => ({ ...before, arranging: true, error: null }));
    let steps = 0;
    worker.onmessage = ({ data }: MessageEvent<Step>) => {
      place(graph, nodes, data.places);
      const first = steps++ === 0;
      if (!first && !data.settled) return;
      const of = new Map(nodes.map((node, number) => [node, data.communities[number] ?? 0]));
      setLayout(({ groups }) => ({
        graph,
        groups: first ? groupsOf(graph, of, groups) : groups,
        arranging: !data.settled,
        error: null,
      }));
    };
    worker.onerror = ({ message }) =>
      setLayout({
        graph,
        groups: groupsOf(graph, new Map()),
        arranging: false,
        error: message || say.map.noLayout,
      });
    worker.postMessage(task);
    return () => worker.terminate();
  }, [graph, filter]);
  return layout.graph === graph ? layout : NONE;
}

const NONE: Layout = { groups: null, arranging: true, error: null };

/** What the worker is given: the nodes and links that are shown, by number. */
export function taskOf(graph: FileGraph, filter: Filter): { nodes: string[]; task: Task } {
  const nodes = graph.filterNodes((_, node) => isDrawn(filter, node));
  const numbers = new Map(nodes.map((node, number) => [node, number]));
  const ends: number[] = [];
  const weights: number[] = [];
  graph.forEachEdge((_, link, one, other) => {
    if (!shows(filter, link)) return;
    ends.push(numbers.get(one) ?? 0, numbers.get(other) ?? 0);
    weights.push(PULL[link.relation](link.weight));
  });
  const places = nodes.flatMap((node) => {
    const { x, y } = graph.getNodeAttributes(node);
    return [x, y];
  });
  const task = {
    ends: Uint32Array.from(ends),
    weights: Float32Array.from(weights),
    places: Float32Array.from(places),
  };
  return { nodes, task };
}

function place(graph: FileGraph, nodes: string[], places: Float32Array): void {
  const numbers = new Map(nodes.map((node, number) => [node, number]));
  graph.updateEachNodeAttributes(
    (node, attributes) => {
      const number = numbers.get(node);
      if (number === undefined)
        return { ...attributes, x: attributes.x || 0, y: attributes.y || 0 };
      return { ...attributes, x: places[2 * number] ?? 0, y: places[2 * number + 1] ?? 0 };
    },
    { attributes: ["x", "y"] },
  );
}
