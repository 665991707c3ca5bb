import { describe, expect, it } from "vitest";
import type { Graph } from "../src/api/types";
import { type Filter, modelOf } from "../src/map/graph";
import { Arrangement, communitiesOf } from "../src/map/layout/arrange";
import { linksFor } from "../src/map/layout/links";
import { recall, remember } from "../src/map/layout/positions";

const all: Filter = {
  threshold: 0.6,
  relations: { similarity: true, reference: true, structure: true },
};

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

const rest = (arrangement: Arrangement) => {
  let steps = 0;
  while (!arrangement.settled && steps < 2000) {
    arrangement.step();
    steps++;
  }
  arrangement.update();
  return steps;
};

const distance = (positions: Float32Array, a: number, b: number) =>
  Math.hypot(
    (positions[2 * a] ?? 0) - (positions[2 * b] ?? 0),
    (positions[2 * a + 1] ?? 0) - (positions[2 * b + 1] ?? 0),
  );

describe("communities", () => {
  it("are the files that hang together, the same at every run", () => {
    const links = linksFor(modelOf(cliques(3, 6)), all);
    const of = communitiesOf(links);
    expect(new Set(of).size).toBe(3);
    expect(new Set(of.slice(0, 7)).size).toBe(1);
    expect(communitiesOf(links)).toEqual(of);
  });

  it("are one for each file where nothing is linked", () => {
    const links = linksFor(modelOf(cliques(2, 4)), {
      ...all,
      threshold: 0.6,
      relations: { similarity: false, reference: false, structure: false },
    });
    expect(links.weights).toHaveLength(0);
    expect(new Set(communitiesOf(links)).size).toBe(10);
  });
});

describe("the links that pull", () => {
  it("are those shown, weaker for a folder than for a likeness", () => {
    const model = modelOf(cliques(1, 3));
    const { ends, weights, drawn } = linksFor(model, all);
    expect(ends).toHaveLength(2 * weights.length);
    expect([...drawn]).toEqual([1, 1, 1, 1]);
    const [folder = 0, likeness = 0] = [weights[0], weights[3]];
    expect(folder).toBeLessThan(likeness);
    expect(linksFor(model, { ...all, threshold: 0.81 }).weights).toHaveLength(3);
  });
});

describe("the layout", () => {
  it("comes to rest by itself, with finite places, members nearer than strangers", () => {
    const arrangement = new Arrangement(linksFor(modelOf(cliques(4, 8)), all), null);
    expect(rest(arrangement)).toBeLessThan(600);
    const { positions } = arrangement;
    expect(positions.every(Number.isFinite)).toBe(true);
    const within = distance(positions, 1, 4);
    const between = distance(positions, 1, 9 * 3 + 4);
    expect(between).toBeGreaterThan(2 * within);
  });

  it("is the same at every opening", () => {
    const links = linksFor(modelOf(cliques(3, 5)), all);
    const [one, other] = [new Arrangement(links, null), new Arrangement(links, null)];
    rest(one);
    rest(other);
    expect(one.positions).toEqual(other.positions);
  });

  it("approximates the forces of many nodes, and rests as well", () => {
    const arrangement = new Arrangement(linksFor(modelOf(cliques(60, 9)), all), null);
    expect(rest(arrangement)).toBeLessThan(600);
    expect(arrangement.positions.every(Number.isFinite)).toBe(true);
  });

  it("goes on from the present places when links change", () => {
    const model = modelOf(cliques(4, 8));
    const arrangement = new Arrangement(linksFor(model, all), null);
    rest(arrangement);
    const before = arrangement.positions.slice();
    arrangement.change(linksFor(model, { ...all, threshold: 0.9 }));
    expect(arrangement.positions).toEqual(before);
    expect(arrangement.settled).toBe(false);
    arrangement.step();
    arrangement.update();
    const spread = distance(before, 1, 9 * 3 + 4);
    for (let node = 0; node < model.nodes.length; node++) {
      const moved = Math.hypot(
        (arrangement.positions[2 * node] ?? 0) - (before[2 * node] ?? 0),
        (arrangement.positions[2 * node + 1] ?? 0) - (before[2 * node + 1] ?? 0),
      );
      expect(moved).toBeLessThan(spread / 2);
    }
  });

  it("leaves alone what is not drawn", () => {
    const model = modelOf(cliques(2, 5));
    const arrangement = new Arrangement(linksFor(model, all), null);
    rest(arrangement);
    const folder = arrangement.positions.slice(0, 2);
    const relations = { ...all.relations, structure: false };
    arrangement.change(linksFor(model, { ...all, relations }));
    rest(arrangement);
    expect(arrangement.positions.slice(0, 2)).toEqual(folder);
  });

  it("has nothing to do for one node, or none", () => {
    const links = { drawn: Uint8Array.of(1), ends: new Uint32Array(), weights: new Float32Array() };
    expect(new Arrangement(links, null).settled).toBe(true);
    expect(new Arrangement({ ...links, drawn: new Uint8Array() }, null).settled).toBe(true);
  });

  it("keeps known places, and finds one for what is new", () => {
    const links = linksFor(modelOf(cliques(2, 3)), all);
    const known = new Float32Array(16).fill(Number.NaN);
    known.set([7, 9], 4);
    const { positions } = new Arrangement(links, known);
    expect([...positions.slice(4, 6)]).toEqual([7, 9]);
    expect(positions.every(Number.isFinite)).toBe(true);
  });
});

describe("places that are remembered", () => {
  it("are found again by path, also when other files came", () => {
    const before = modelOf(cliques(1, 2));
    remember("mine", before, Float32Array.of(0, 1, 2, 3, 4, 5));
    const after = modelOf({ ...cliques(1, 2), nodes: [...before.nodes].reverse() });
    expect([...(recall("mine", after) ?? [])]).toEqual([4, 5, 2, 3, 0, 1]);
    const more = recall("mine", modelOf(cliques(1, 3)));
    expect(more?.[4]).toBe(4);
    expect(more?.[6]).toBeNaN();
    expect(recall("other", after)).toBe(null);
  });
});
