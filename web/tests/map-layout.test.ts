import { describe, expect, it } from "vitest";
import type { Graph } from "../src/api/types";
import { graphOf } from "../src/map/graph";
import { type Layout, layout, taskOf } from "../src/map/layout";

/** Cliques of files, each in its folder, the first two joined by one reference. */
function cliques(count: number, size: number): Graph {
  const graph: Graph = { nodes: [], edges: [] };
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

const distance = ({ places }: Layout, a: number, b: number) => {
  const [[x = 0, y = 0] = [], [u = 0, v = 0] = []] = [places[a], places[b]];
  return Math.hypot(x - u, y - v);
};

const task = (graph: Graph) => taskOf(graphOf(graph));
const finite = ({ places }: Layout) => places.flat().every(Number.isFinite);

describe("the links that pull", () => {
  it("are those shown at first, weaker for a folder than for a likeness", () => {
    const { links } = task(cliques(2, 3));
    const [[, , folder = 0] = [], [, , likeness = 0] = []] = links;
    expect(folder).toBeLessThan(likeness);
    const weak = cliques(2, 3);
    weak.edges = weak.edges.map(([a, b, relation, , why]) => [a, b, relation, 0.55, why]);
    expect(task(weak).links).toHaveLength(links.length - 6);
  });
});

describe("communities", () => {
  it("are the files that hang together, the same at every run", () => {
    const given = task(cliques(3, 6));
    const { communities } = layout(given);
    expect(new Set(communities).size).toBe(3);
    expect(new Set(communities.slice(0, 7)).size).toBe(1);
    expect(layout(given).communities).toEqual(communities);
  });

  it("are one for each file where nothing is linked", () => {
    const given = task(cliques(2, 4));
    expect(new Set(layout({ ...given, links: [] }).communities).size).toBe(given.places.length);
  });
});

describe("the layout", () => {
  it("has finite places, members nearer than strangers", () => {
    const last = layout(task(cliques(4, 8)));
    expect(finite(last)).toBe(true);
    expect(distance(last, 1, 9 * 3 + 4)).toBeGreaterThan(2 * distance(last, 1, 4));
  });

  it("leaves out what is not drawn, which has its community all the same", () => {
    const given = task(cliques(2, 5));
    const drawn = given.drawn.map((_, node) => node !== 3);
    const { communities, places } = layout({ ...given, drawn });
    expect(communities[3]).toBe(communities[2]);
    expect(places[3]).toEqual([0, 0]);
  });

  it("is the same at every opening", () => {
    const given = task(cliques(3, 5));
    expect(layout(given).places).toEqual(layout(given).places);
  });

  it("approximates the forces of many nodes", () => {
    expect(finite(layout(task(cliques(60, 9))))).toBe(true);
  });

  it("begins where the nodes stood, and finds a place for what is new", () => {
    const given = task(cliques(2, 3));
    const { places } = layout(given);
    const known = places.with(4, [Number.NaN, Number.NaN]);
    const again = layout({ ...given, places: known });
    expect(finite(again)).toBe(true);
    const moved = (n: number) =>
      Math.hypot(...[0, 1].map((at) => (again.places[n]?.[at] ?? 0) - (places[n]?.[at] ?? 0)));
    expect(moved(0)).toBeLessThan(distance(again, 0, 5));
  });

  it("has nothing to move of one node, or none", () => {
    expect(finite(layout({ places: [[Number.NaN, Number.NaN]], links: [], drawn: [true] }))).toBe(
      true,
    );
    expect(layout({ places: [], links: [], drawn: [] }).places).toEqual([]);
  });
});
