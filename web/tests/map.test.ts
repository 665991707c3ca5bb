import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Graph, GraphEdge, GraphNode } from "../src/api/types";
import { AT_FIRST, countsOf, type Filter, filesOf, find, graphOf, linksOf } from "../src/map/graph";
import { colourOf, commonFolder, groupsOf } from "../src/map/groups";
import { named, type Spot } from "../src/map/labels";

const node = (id: string, more: Partial<GraphNode> = {}): GraphNode => ({
  id,
  kind: id.endsWith("/") ? "folder" : "file",
  format: null,
  size: 1024,
  date: null,
  title: null,
  ...more,
});

const answer = (nodes: GraphNode[], edges: GraphEdge[]): Graph => ({ nodes, edges });

const from = (threshold: number): Filter => ({ ...AT_FIRST, threshold });

const GAS = "bills/gas.pdf";
const WATER = "bills/water.pdf";
const NOTE = "note.md";
const bills = graphOf(
  answer(
    [node("bills/"), node(GAS), node(WATER, { title: " Water 2024 " }), node(NOTE)],
    [
      [1, 2, "similarity", 0.7, ""],
      [0, 1, "structure", 1, ""],
      [2, 3, "similarity", 0.9, ""],
      [0, 2, "structure", 1, ""],
      [1, 3, "reference", 0.8, "account DE89"],
      [1, 3, "similarity", 0.6, ""],
    ],
  ),
);

describe("the graph as the map holds it", () => {
  it("counts files, not folders", () => {
    expect(filesOf(bills)).toEqual([GAS, WATER, NOTE]);
  });

  it("shows of similarity what reaches the threshold, its own value included", () => {
    const alike = (threshold: number) => countsOf(bills, from(threshold)).similarity;
    expect([0.6, 0.7, 0.71, 1].map(alike)).toEqual([3, 2, 1, 0]);
  });

  it("leaves the other relations alone when the threshold rises", () => {
    expect(countsOf(bills, from(1))).toMatchObject({ reference: 1, structure: 2 });
  });

  it("tells a node's shown links, each with its other end and why, the strongest first", () => {
    const links = linksOf(bills, from(0.65), GAS);
    const told = links.map(({ path, relation, weight, why }) => [path, relation, weight, why]);
    expect(told).toEqual([
      ["bills/", "structure", 1, ""],
      [NOTE, "reference", 0.8, "account DE89"],
      [WATER, "similarity", 0.7, ""],
    ]);
  });

  it("tells none of a relation that is not shown", () => {
    const relations = { ...AT_FIRST.relations, similarity: false };
    expect(linksOf(bills, { ...AT_FIRST, relations }, NOTE)).toHaveLength(1);
  });

  it("keeps the places of what was there before", () => {
    const before = graphOf(answer([node("a"), node("b")], []));
    before.mergeNodeAttributes("b", { x: 3, y: 4 });
    const after = graphOf(answer([node("b"), node("c")], []), before);
    expect(after.mapNodes((_, { x, y }) => [x, y])).toEqual([
      [3, 4],
      [Number.NaN, Number.NaN],
    ]);
  });

  it("holds a library of no files", () => {
    expect(filesOf(graphOf(answer([], [])))).toEqual([]);
  });
});

describe("a node's name", () => {
  it("is its title, else the end of its path", () => {
    const nodes = [
      node("a/b.pdf", { title: " The lease " }),
      node("b.pdf", { title: " " }),
      node("a/c/"),
    ];
    const graph = graphOf(answer(nodes, []));
    expect(graph.mapNodes((_, { label }) => label)).toEqual(["The lease", "b.pdf", "c"]);
  });
});

describe("finding by name", () => {
  const graph = graphOf(
    answer(
      [
        node("x/the-rent.txt"),
        node("rent/other.txt"),
        node("a.txt", { title: "Current plans" }),
        node("b.txt", { title: "Käsespätzle" }),
      ],
      [],
    ),
  );
  const found = (query: string) => find(graph, query);

  it("puts names before paths, short ones first", () => {
    expect(found("rent")).toEqual(["x/the-rent.txt", "a.txt", "rent/other.txt"]);
  });

  it("minds neither case nor accents", () => {
    expect(found("KASESPATZLE")).toEqual(["b.txt"]);
    expect(found("spätzle")).toEqual(["b.txt"]);
  });

  it("wants every word, in the name or the path", () => {
    expect(found("rent other")).toEqual(["rent/other.txt"]);
    expect(found("rent nowhere")).toEqual([]);
  });

  it("finds nothing for nothing", () => {
    expect(found("  ")).toEqual([]);
  });
});

describe("groups", () => {
  const groups = (files: Record<string, number>, titles: Record<string, string> = {}) => {
    const nodes = Object.keys(files).map((id) => node(id, { title: titles[id] ?? null }));
    return groupsOf(graphOf(answer(nodes, [])), (path) => files[path]);
  };

  it("are numbered by size, the largest first; files by themselves come last", () => {
    const found = groups({ a: 5, b: 7, c: 7, d: 7, e: 5, f: 1 });
    expect(found.map(({ id, files }) => [id, files.length])).toEqual([
      [0, 3],
      [1, 2],
      [-1, 1],
    ]);
  });

  it("do not count folders", () => {
    expect(groupsOf(bills, () => 4).map(({ files }) => files.toSorted())).toEqual([
      [GAS, WATER, NOTE].toSorted(),
    ]);
  });

  it("are named by the deepest folder that most of them lie in", () => {
    expect(commonFolder(["a/b/1", "a/b/2", "a/3"])).toBe("a/b");
    expect(commonFolder(["a/b/1", "a/c/2", "a/3"])).toBe("a");
    expect(commonFolder(["1", "a/2", "b/3"])).toBe(null);
  });

  it("are named by a file where the folder tells nothing, or names another group", () => {
    const titles = { "all/1": "Boat", "all/3": "Piano" };
    const one = groups({ "all/1": 1, "all/2": 1, "all/3": 2, "all/4": 2 }, titles);
    expect(one.map(({ name }) => name)).toEqual(["Boat and 1 more", "Piano and 1 more"]);
    const two = groups({ "a/1": 1, "a/2": 1, "a/3": 2, "a/4": 2, "b/5": 3, "b/6": 3 });
    expect(two.map(({ name }) => name)).toEqual(["a", "3 and 1 more", "b"]);
  });
});

describe("names beside dots", () => {
  const spots: Spot[] = Array.from({ length: 30 }, (_, n) => ({
    path: `${n}`,
    name: `a file of number ${n}`,
    x: 300 + 30 * Math.sqrt(n) * Math.cos(2.4 * n),
    y: 300 + 30 * Math.sqrt(n) * Math.sin(2.4 * n),
  }));

  it("stand where there is room, more of them when it is seen from near", () => {
    const [far, near] = [named(spots, 1, 900).size, named(spots, 0.1, 900).size];
    expect(far).toBeGreaterThan(0);
    expect(far).toBeLessThan(near);
    expect(near).toBe(30);
  });

  it("are not written over another one", () => {
    const [one, other] = [spots[0], spots[0]].map((spot, n) => ({
      ...(spot as Spot),
      path: `${n}`,
    }));
    expect([...named([one as Spot, { ...(other as Spot), x: 400 }], 1, 900)]).toEqual(["1"]);
  });
});

describe("colours of groups", () => {
  const css = (name: string) => readFileSync(new URL(`../src/${name}`, import.meta.url), "utf8");
  const pairs = (name: string, of: string): string[][] =>
    [...css(name).matchAll(new RegExp(`--${of}: light-dark\\((#\\w{6}), (#\\w{6})\\)`, "g"))].map(
      ([, light = "", dark = ""]) => [light, dark],
    );
  const grounds = pairs("styles/tokens.css", "(?:paper|raised|sunken)");
  const colours = pairs("map/map.module.css", "group-\\w+");

  it("stand out 3 to 1 from every ground of the page, light and dark", () => {
    expect([grounds.length, colours.length]).toEqual([3, 13]);
    for (const colour of colours)
      for (const ground of grounds)
        for (const at of [0, 1])
          expect(contrast(colour[at] ?? "", ground[at] ?? "")).toBeGreaterThan(3);
  });

  it("begin again after the last", () => {
    expect(new Set(colours.flat()).size).toBe(26);
    expect(colourOf(14)).toBe(colourOf(2));
  });

  function contrast(one: string, other: string): number {
    const [a, b] = [luminance(one), luminance(other)];
    return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  }

  function luminance(colour: string): number {
    const [r = 0, g = 0, b = 0] = [1, 3, 5].map((start) => {
      const part = Number.parseInt(colour.slice(start, start + 2), 16) / 255;
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  }
});
