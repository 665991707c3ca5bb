import { describe, expect, it } from "vitest";
import type { Graph } from "../src/api/types";
import { EVERY_LINK, type FileGraph, graphOf } from "../src/map/graph";
import { layout, type Step, type Task } from "../src/map/layout";
import { taskOf } from "../src/map/useLayout";

/** Cliques of files, each in its folder, the first two joined by one reference. */
function cliques(count: number, size: number): Graph {
  const graph: Graph = { nodes: [], edges: [], computed: "" };
  const add = (id: string, kind: "file" | "folder") =>
    graph.nodes.push({ id, kind, format: null, size: 1, date: null, title: null }) - 1;
  for (let clique = 0; clique < count; clique++) {
    const folder = add(`${clique}/`, "folder");
    const files = Array.from({ length: size }, (_, n) => add(`${clique}/${n}.txt`, "file"));
    for (const file of files) {
      graph.edges.push([folder, file, "structure", 1, ""]);
      for (const other of files) {
        if (other > file) graph.edges.push([file, other, "similarity", 0.8, ""]);
      }
    }
  }
  graph.edges.push([1, size + 2, "reference", 0.8, "company"]);
  return graph;
}

const distance = (places: Float32Array, a: number, b: number) =>
  Math.hypot(
    (places[2 * a] ?? 0) - (places[2 * b] ?? 0),
    (places[2 * a + 1] ?? 0) - (places[2 * b + 1] ?? 0),
  );

const steps = (task: Task): [Step, Step] => {
  const all = [...layout(task)];
  return [all[0] as Step, all.at(-1) as Step];
};
const everything = (graph: FileGraph) => taskOf(graph, EVERY_LINK).task;

describe("the links that pull", () => {
  it("are those shown, weaker for a folder than for a likeness", () => {
    const graph = graphOf(cliques(1, 3));
    const { ends, weights } = everything(graph);
    expect(ends).toHaveLength(2 * weights.length);
    const [folder = 0, likeness = 0] = [weights[0], weights[1]];
    expect(folder).toBeLessThan(likeness);
    expect(taskOf(graph, { ...EVERY_LINK, threshold: 0.81 }).task.weights).toHaveLength(3);
  });

  it("are between files only, where folders are not shown", () => {
    const relations = { ...EVERY_LINK.relations, structure: false };
    const { nodes, task } = taskOf(graphOf(cliques(2, 3)), { ...EVERY_LINK, relations });
    expect(nodes).toHaveLength(6);
    expect(Math.max(...task.ends)).toBe(5);
  });
});

describe("communities", () => {
  it("are the files that hang together, the same at every run", () => {
    const task = everything(graphOf(cliques(3, 6)));
    const [{ communities }] = steps(task);
    expect(new Set(communities).size).toBe(3);
    expect(new Set(communities.slice(0, 7)).size).toBe(1);
    expect(steps(task)[0].communities).toEqual(communities);
  });

  it("are one for each file where nothing is linked", () => {
    const nothing = { similarity: false, reference: false, structure: false };
    const { task } = taskOf(graphOf(cliques(2, 4)), { threshold: 0.6, relations: nothing });
    expect(task.weights).toHaveLength(0);
    expect(new Set(steps(task)[0].communities).size).toBe(8);
  });
});

describe("the layout", () => {
  it("comes to rest, with finite places, members nearer than strangers", () => {
    const [first, { places, settled }] = steps(everything(graphOf(cliques(4, 8))));
    expect([first.settled, settled]).toEqual([false, true]);
    expect(places.every(Number.isFinite)).toBe(true);
    expect(distance(places, 1, 9 * 3 + 4)).toBeGreaterThan(2 * distance(places, 1, 4));
  });

  it("is the same at every opening", () => {
    const task = everything(graphOf(cliques(3, 5)));
    expect(steps(task)[1].places).toEqual(steps(task)[1].places);
  });

  it("approximates the forces of many nodes", () => {
    const [, { places }] = steps(everything(graphOf(cliques(60, 9))));
    expect(places.every(Number.isFinite)).toBe(true);
  });

  it("begins where the nodes stood, and finds a place for what is new", () => {
    const task = everything(graphOf(cliques(2, 3)));
    const stood = steps(task)[1].places;
    const known = stood.slice();
    known.set([Number.NaN, Number.NaN], 4);
    const [{ places }] = steps({ ...task, places: known });
    expect(places.slice(0, 4)).toEqual(stood.slice(0, 4));
    expect(places.every(Number.isFinite)).toBe(true);
  });

  it("has nothing to do for one node, or none", () => {
    const nothing = { ends: new Uint32Array(), weights: new Float32Array() };
    expect(steps({ ...nothing, places: Float32Array.of(1, 2) })[0].settled).toBe(true);
    expect(steps({ ...nothing, places: new Float32Array() })[0].settled).toBe(true);
  });
});
