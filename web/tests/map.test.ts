import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Graph, GraphEdge, GraphNode } from "../src/api/types";
import { COLOURS, colourOf } from "../src/map/colours";
import { groupsOf, numbered } from "../src/map/communities";
import { finderOf } from "../src/map/find";
import {
  countOf,
  degreesOf,
  drawnOf,
  type Filter,
  linksOf,
  modelOf,
  nameOf,
  shownOf,
} from "../src/map/graph";
import { commonFolder, namesOf } from "../src/map/names";
import { Grid } from "../src/map/pick";
import { sizesOf } from "../src/map/sizes";
import { counted, percent, sizeName } from "../src/map/words";

const node = (id: string, more: Partial<GraphNode> = {}): GraphNode => ({
  id,
  kind: id.endsWith("/") ? "folder" : "file",
  format: null,
  size: 1024,
  date: null,
  title: null,
  ...more,
});

const graph = (nodes: GraphNode[], edges: GraphEdge[]): Graph => ({ nodes, edges, computed: "" });

const all: Filter = {
  threshold: 0.6,
  relations: { similarity: true, reference: true, structure: true },
};
const from = (threshold: number): Filter => ({ ...all, threshold });
const without = (relation: "similarity" | "reference" | "structure"): Filter => ({
  ...all,
  relations: { ...all.relations, [relation]: false },
});

const bills = modelOf(
  graph(
    [
      node("bills/"),
      node("bills/gas.pdf"),
      node("bills/water.pdf", { title: " Water 2024 " }),
      node("note.md"),
    ],
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
    expect(bills.files).toBe(3);
    expect(bills.byId.get("note.md")).toBe(3);
  });

  it("shows of similarity what reaches the threshold, its own value included", () => {
    expect(shownOf(bills, all).similarity).toBe(3);
    expect(shownOf(bills, from(0.7)).similarity).toBe(2);
    expect(shownOf(bills, from(0.71)).similarity).toBe(1);
    expect(shownOf(bills, from(1)).similarity).toBe(0);
  });

  it("leaves the other relations alone when the threshold rises", () => {
    const { reference, structure } = shownOf(bills, from(1));
    expect([reference, structure]).toEqual([1, 2]);
  });

  it("tells a node's shown links, each with its other end and why", () => {
    const links = linksOf(bills, shownOf(bills, from(0.65)), 1);
    const told = links.map(({ other, relation, weight, why }) => [other, relation, weight, why]);
    expect(told).toEqual([
      [0, "structure", 1, ""],
      [2, "similarity", 0.7, ""],
      [3, "reference", 0.8, "account DE89"],
    ]);
  });

  it("counts only shown links in a node's degree", () => {
    expect([...degreesOf(bills, shownOf(bills, all))]).toEqual([2, 4, 3, 3]);
    expect([...degreesOf(bills, shownOf(bills, without("similarity")))]).toEqual([2, 2, 1, 1]);
  });

  it("draws folders only while the relation that they stand for is shown", () => {
    expect([...drawnOf(bills, all)]).toEqual([1, 1, 1, 1]);
    expect([...drawnOf(bills, without("structure"))]).toEqual([0, 1, 1, 1]);
  });

  it("drops links to nodes that are not there, and of a node to itself", () => {
    const odd = modelOf(
      graph(
        [node("a"), node("b")],
        [
          [0, 7, "similarity", 0.9, ""],
          [1, 1, "reference", 1, ""],
          [0, 1, "similarity", 0.8, ""],
        ],
      ),
    );
    expect(countOf(shownOf(odd, all))).toBe(1);
  });

  it("holds a library of no files", () => {
    const none = modelOf(graph([], []));
    expect(none.files).toBe(0);
    expect(countOf(shownOf(none, all))).toBe(0);
  });
});

describe("a node's name", () => {
  it("is its title, else the end of its path", () => {
    expect(nameOf(node("a/b.pdf", { title: " The lease " }))).toBe("The lease");
    expect(nameOf(node("a/b.pdf", { title: "  " }))).toBe("b.pdf");
    expect(nameOf(node("a/photos/"))).toBe("photos");
  });
});

describe("finding by name", () => {
  const found = (query: string, limit = 9) =>
    finderOf(
      modelOf(
        graph(
          [
            node("x/the-rent.txt"),
            node("rent/other.txt"),
            node("a.txt", { title: "Current plans" }),
            node("b.txt", { title: "Rental contract" }),
            node("c.txt", { title: "Käsespätzle" }),
          ],
          [],
        ),
      ),
    )(query, limit);

  it("puts names that begin so first, then words in them, then paths", () => {
    expect(found("rent")).toEqual([3, 0, 2, 1]);
  });

  it("minds neither case nor accents", () => {
    expect(found("KASESPATZLE")).toEqual([4]);
    expect(found("spätzle")).toEqual([4]);
  });

  it("wants every word, in the name or the path", () => {
    expect(found("rent other")).toEqual([1]);
    expect(found("rent nowhere")).toEqual([]);
  });

  it("finds nothing for nothing, and no more than asked for", () => {
    expect(found("  ")).toEqual([]);
    expect(found("t", 2)).toHaveLength(2);
  });
});

describe("numbers of groups", () => {
  const file = () => true;

  it("go by size, the largest first", () => {
    expect([...numbered([5, 7, 7, 7, 5], null, file)]).toEqual([1, 0, 0, 0, 1]);
  });

  it("are kept by those who keep most of their files", () => {
    const before = [0, 0, 0, 1, 1, 1];
    expect([...numbered([9, 9, 9, 9, 4, 4], before, file)]).toEqual([0, 0, 0, 0, 1, 1]);
    expect([...numbered([4, 4, 4, 9, 9, 9], before, file)]).toEqual([0, 0, 0, 1, 1, 1]);
  });

  it("are new where a group splits off", () => {
    expect([...numbered([1, 1, 1, 2, 2], [3, 3, 3, 3, 3], file)]).toEqual([3, 3, 3, 0, 0]);
  });

  it("are none for a file by itself, whatever folder it is in", () => {
    const isFile = (index: number) => index < 2;
    expect([...numbered([1, 2, 2], null, isFile)]).toEqual([-1, -1, -1]);
  });
});

describe("groups", () => {
  it("hold files, the largest group first, and those of none apart", () => {
    const { list, alone } = groupsOf(bills, Int32Array.of(4, 4, 4, -1));
    expect(list.map(({ id, files }) => [id, files])).toEqual([[4, [1, 2]]]);
    expect(alone).toEqual([3]);
  });

  it("are named by the deepest folder that most of them lie in", () => {
    expect(commonFolder(["a/b/1", "a/b/2", "a/3"])).toBe("a/b");
    expect(commonFolder(["a/b/1", "a/c/2", "a/3"])).toBe("a");
    expect(commonFolder(["1", "a/2", "b/3"])).toBe(null);
  });

  const named = (groups: [string, string?][][]) => {
    const nodes = groups.flat().map(([id, title]) => node(id, { title: title ?? null }));
    let next = 0;
    return namesOf(
      modelOf(graph(nodes, [])),
      groups.map((group) => group.map(() => next++)),
    );
  };

  it("are told apart by words where they share a folder", () => {
    const names = named([
      [["home/letters/1"], ["home/letters/2"]],
      [
        ["home/bills/1", "Gas bill"],
        ["home/bills/2", "Gas bill again"],
      ],
      [
        ["home/bills/3", "Water bill"],
        ["home/bills/4", "Water bill again"],
      ],
    ]);
    expect(names[0]).toBe("letters");
    expect(names[1]).toMatch(/^bills: Gas/);
    expect(names[2]).toMatch(/^bills: Water/);
  });

  it("are not named by the folder that all lies in", () => {
    const names = named([
      [
        ["all/1", "Boat engine"],
        ["all/2", "Boat trip"],
      ],
      [
        ["all/3", "Piano lesson"],
        ["all/4", "Piano tuner"],
      ],
    ]);
    expect(names).toEqual(["Boat", "Piano"]);
  });

  it("are named by two folders or by a file where nothing else is common", () => {
    const names = named([
      [["health/a"], ["notes/b"]],
      [["one.txt"], ["two.txt"], ["three.txt"]],
    ]);
    expect(names[0]).toBe("health and notes");
    expect(names[1]).toMatch(/ and 2 more$/);
  });

  it("never share a name", () => {
    const names = named([
      [["a/1"], ["a/2"]],
      [["a/3"], ["a/4"]],
      [["b/5"], ["b/6"], ["b/7"], ["b/8"], ["b/9"]],
    ]);
    expect(new Set(names).size).toBe(3);
  });
});

describe("what is at a place", () => {
  const positions = Float32Array.of(0, 0, 10, 0, 10, 4, 100, 100);
  const grid = new Grid(positions, [0, 1, 2, 3]);
  const find = (x: number, y: number, reach = 3) => grid.find(x, y, reach, () => reach);

  it("is the nearest node that reaches there", () => {
    expect(find(1, 1)).toBe(0);
    expect(find(10, 1.9)).toBe(1);
    expect(find(10, 2.1)).toBe(2);
    expect(find(100, 102)).toBe(3);
  });

  it("is nothing beside the nodes and outside the map", () => {
    expect(find(5, 50)).toBe(null);
    expect(find(-900, 4000)).toBe(null);
  });

  it("depends on each node's own reach", () => {
    const reachOf = (index: number) => (index === 1 ? 6 : 1);
    expect(grid.find(10, 3, 6, reachOf)).toBe(2);
    expect(grid.find(10, 2.5, 6, reachOf)).toBe(1);
    expect(grid.find(0, 3, 6, reachOf)).toBe(null);
  });

  it("leaves out nodes that are not drawn", () => {
    expect(new Grid(positions, [1, 2, 3]).find(0, 0, 3, () => 3)).toBe(null);
    expect(new Grid(positions, []).find(0, 0, 3, () => 3)).toBe(null);
  });

  it("finds every one of many", () => {
    const many = Float32Array.from({ length: 2000 }, (_, n) => Math.sin(n * n) * 500);
    const nodes = Array.from({ length: 1000 }, (_, n) => n);
    const large = new Grid(many, nodes);
    const missed = nodes.filter((n) => {
      const found = large.find(many[2 * n] ?? 0, many[2 * n + 1] ?? 0, 1, () => 1);
      return found !== n;
    });
    expect(missed).toEqual([]);
  });

  it("copes with all nodes on one spot", () => {
    expect(new Grid(Float32Array.of(2, 2, 2, 2), [0, 1]).find(2, 2, 1, () => 1)).not.toBe(null);
  });
});

describe("sizes", () => {
  it("grow with the links or with the file, as wished", () => {
    const model = modelOf(graph([node("a", { size: 10 }), node("b", { size: 10_000_000 })], []));
    const byLinks = sizesOf(model, [9, 1], "links");
    const bySize = sizesOf(model, [9, 1], "size");
    expect(byLinks[0]).toBeGreaterThan(byLinks[1] ?? 0);
    expect(bySize[1]).toBeGreaterThan(bySize[0] ?? 0);
  });

  it("are smaller where there are many, and never nothing", () => {
    const of = (count: number) => {
      const nodes = Array.from({ length: count }, (_, n) => node(`${n}`));
      return sizesOf(modelOf(graph(nodes, [])), new Array(count).fill(0), "links")[0] ?? 0;
    };
    expect(of(10_000)).toBeGreaterThan(1);
    expect(of(20)).toBeGreaterThan(of(10_000));
  });
});

describe("colours of groups", () => {
  const tokens = readFileSync(new URL("../src/styles/tokens.css", import.meta.url), "utf8");
  const grounds = ["paper", "raised", "sunken"].map((name) =>
    new RegExp(`--${name}: light-dark\\((#[0-9a-f]{6}), (#[0-9a-f]{6})\\)`).exec(tokens),
  );
  const light = grounds.map((ground) => ground?.[1] ?? "");
  const dark = grounds.map((ground) => ground?.[2] ?? "");
  const ids = [-1, ...Array.from({ length: COLOURS }, (_, id) => id)];

  it("stand out 3 to 1 from every ground of the page, light and dark", () => {
    expect(new Set([...light, ...dark]).size).toBe(6);
    for (const id of ids) {
      for (const ground of light) expect(contrast(colourOf(id, false), ground)).toBeGreaterThan(3);
      for (const ground of dark) expect(contrast(colourOf(id, true), ground)).toBeGreaterThan(3);
    }
  });

  it("differ, and begin again after the last", () => {
    expect(new Set(ids.map((id) => colourOf(id, false))).size).toBe(COLOURS + 1);
    expect(colourOf(COLOURS + 2, true)).toBe(colourOf(2, true));
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

describe("words", () => {
  it("count in the singular and the plural", () => {
    expect(counted(1, "file")).toBe("1 file");
    expect(counted(1204, "file")).toBe("1,204 files");
    expect(percent(0.716)).toBe("72 %");
  });

  it("say a size in the unit that fits", () => {
    expect(sizeName(1)).toBe("1 byte");
    expect(sizeName(999)).toBe("999 bytes");
    expect(sizeName(2937)).toBe("2.9 kB");
    expect(sizeName(48_200)).toBe("48 kB");
    expect(sizeName(3_140_000)).toBe("3.1 MB");
  });
});
