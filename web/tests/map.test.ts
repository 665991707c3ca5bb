import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Graph, GraphEdge, GraphNode } from "../src/api/types";
import { placeIn, withPlace } from "../src/map/address";
import { COLOURS, colourOf } from "../src/map/colours";
import { finderOf } from "../src/map/find";
import {
  EVERY_LINK,
  type Filter,
  filesOf,
  graphOf,
  isDrawn,
  linksOf,
  nameOf,
  shownOf,
} from "../src/map/graph";
import { groupsOf } from "../src/map/groups";
import { boxOf, type Named, namePlaces } from "../src/map/nameplaces";
import { commonFolder, foldersOf, namesOf } from "../src/map/names";

const node = (id: string, more: Partial<GraphNode> = {}): GraphNode => ({
  id,
  kind: id.endsWith("/") ? "folder" : "file",
  format: null,
  size: 1024,
  date: null,
  title: null,
  ...more,
});

const answer = (nodes: GraphNode[], edges: GraphEdge[]): Graph => ({ nodes, edges, computed: "" });

const from = (threshold: number): Filter => ({ ...EVERY_LINK, threshold });
const without = (relation: "similarity" | "reference" | "structure"): Filter => ({
  ...EVERY_LINK,
  relations: { ...EVERY_LINK.relations, [relation]: false },
});

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
    const alike = (filter: Filter) => shownOf(bills, filter).of.similarity;
    expect([EVERY_LINK, from(0.7), from(0.71), from(1)].map(alike)).toEqual([3, 2, 1, 0]);
  });

  it("leaves the other relations alone when the threshold rises", () => {
    const { reference, structure } = shownOf(bills, from(1)).of;
    expect([reference, structure]).toEqual([1, 2]);
  });

  it("tells a node's shown links, each with its other end and why, the strongest first", () => {
    const links = linksOf(bills, from(0.65), GAS);
    const told = links.map(({ other, relation, weight, why }) => [other, relation, weight, why]);
    expect(told).toEqual([
      ["bills/", "structure", 1, ""],
      [NOTE, "reference", 0.8, "account DE89"],
      [WATER, "similarity", 0.7, ""],
    ]);
  });

  it("counts only shown links in a node's degree", () => {
    const degrees = (filter: Filter) => {
      const found = shownOf(bills, filter).degrees;
      return bills.mapNodes((path) => found.get(path) ?? 0);
    };
    expect(degrees(EVERY_LINK)).toEqual([2, 4, 3, 3]);
    expect(degrees(without("similarity"))).toEqual([2, 2, 1, 1]);
  });

  it("draws folders only while the relation that they stand for is shown", () => {
    expect(isDrawn(EVERY_LINK, { kind: "folder" })).toBe(true);
    expect(isDrawn(without("structure"), { kind: "folder" })).toBe(false);
    expect(isDrawn(without("structure"), { kind: "file" })).toBe(true);
  });

  it("drops links to nodes that are not there, and of a node to itself", () => {
    const odd = answer(
      [node("a"), node("b")],
      [
        [0, 7, "similarity", 0.9, ""],
        [1, 1, "reference", 1, ""],
        [0, 1, "similarity", 0.8, ""],
      ],
    );
    expect(shownOf(graphOf(odd), EVERY_LINK).links).toBe(1);
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
    expect(shownOf(graphOf(answer([], [])), EVERY_LINK).links).toBe(0);
  });
});

describe("the address", () => {
  it("holds what is chosen and shown, and gives it back", () => {
    const filter = { ...without("structure"), threshold: 0.75 };
    const written = withPlace(new URLSearchParams("in=home"), { file: "a/b c.pdf", filter });
    const place = placeIn(new URLSearchParams(written.toString()));
    expect(place).toEqual({ file: "a/b c.pdf", group: null, list: false, filter });
    expect(written.get("in")).toBe("home");
  });

  it("is plain where nothing is chosen, and minds no nonsense", () => {
    const place = placeIn(new URLSearchParams("alike=hello&without=all"));
    expect(place.filter).toEqual(EVERY_LINK);
    expect(placeIn(new URLSearchParams("alike=7")).filter.threshold).toBe(1);
    expect(withPlace(new URLSearchParams("file=a"), { file: null }).toString()).toBe("");
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
      graphOf(
        answer(
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
    expect(found("rent")).toEqual(["b.txt", "x/the-rent.txt", "a.txt", "rent/other.txt"]);
  });

  it("minds neither case nor accents", () => {
    expect(found("KASESPATZLE")).toEqual(["c.txt"]);
    expect(found("spätzle")).toEqual(["c.txt"]);
  });

  it("wants every word, in the name or the path", () => {
    expect(found("rent other")).toEqual(["rent/other.txt"]);
    expect(found("rent nowhere")).toEqual([]);
  });

  it("finds nothing for nothing, and no more than asked for", () => {
    expect(found("  ")).toEqual([]);
    expect(found("t", 2)).toHaveLength(2);
  });
});

describe("groups", () => {
  const graph = graphOf(
    answer(
      [..."abcdefg"].map((name) => node(name)),
      [],
    ),
  );
  const groups = (of: string, before: ReturnType<typeof groupsOf> | null = null) =>
    groupsOf(
      graph,
      new Map([...of].map((group, n) => ["abcdefg"[n] ?? "", Number(group)])),
      before,
    );
  const ids = (found: ReturnType<typeof groupsOf>) =>
    graph.mapNodes((path) => found.of.get(path) ?? -1);

  it("are numbered by size, the largest first; a file by itself is in none", () => {
    const found = groups("5777751");
    expect(ids(found)).toEqual([1, 0, 0, 0, 0, 1, -1]);
    expect(found.alone).toEqual(["g"]);
  });

  it("keep their numbers with most of their files", () => {
    const before = groups("0001111");
    expect(ids(before)).toEqual([1, 1, 1, 0, 0, 0, 0]);
    expect(ids(groups("9994444", before))).toEqual([1, 1, 1, 0, 0, 0, 0]);
    expect(ids(groups("9999944", before))).toEqual([1, 1, 1, 1, 1, 0, 0]);
  });

  it("have new numbers where they split off", () => {
    const before = groups("0000000");
    expect(ids(groups("1111222", before))).toEqual([0, 0, 0, 0, 1, 1, 1]);
  });

  it("do not count folders", () => {
    const of = new Map(bills.mapNodes((path) => [path, 4] as const));
    expect(groupsOf(bills, of).list.map(({ files }) => files)).toEqual([[GAS, WATER, NOTE]]);
  });

  it("are named by the deepest folder that most of them lie in", () => {
    expect(commonFolder(["a/b/1", "a/b/2", "a/3"])).toBe("a/b");
    expect(commonFolder(["a/b/1", "a/c/2", "a/3"])).toBe("a");
    expect(commonFolder(["1", "a/2", "b/3"])).toBe(null);
  });

  const named = (groups: [string, string?][][]) => {
    const nodes = groups.flat().map(([id, title]) => node(id, { title: title ?? null }));
    return namesOf(
      graphOf(answer(nodes, [])),
      groups.map((group) => group.map(([id]) => id)),
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

  it("say that they are mixed where a folder holds only a part", () => {
    const paths = [
      "insurance/1",
      "insurance/2",
      "insurance/3",
      "cv/4",
      "home/5",
      "tax/6",
      "trip/7",
    ];
    const [name] = named([paths.map((path): [string] => [path]), [["x/1"], ["x/2"]]]);
    expect(name).toBe("insurance and others");
    expect(foldersOf(paths)[0]).toEqual(["insurance", 3]);
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

describe("places for groups' names", () => {
  const crowd = (id: number, x: number, y: number): Named => ({
    id,
    name: `group ${id}`,
    dots: Array.from({ length: 30 }, (_, n) => ({
      x: x + 14 * Math.sqrt(n) * Math.cos(2.4 * n),
      y: y + 14 * Math.sqrt(n) * Math.sin(2.4 * n),
      size: 6,
    })),
  });
  const view = { width: 800, height: 600 };
  const groups = [crowd(0, 300, 300), crowd(1, 390, 320), crowd(2, 300, 60)];
  const dots = groups.flatMap((group) => group.dots);

  it("are on no dot, on no other name, and within the view", () => {
    const places = namePlaces(groups, dots.map(boxOf), view);
    expect(places).toHaveLength(3);
    const half = 30;
    for (const { id, x, y } of places) {
      const covers = (px: number, py: number, r: number) =>
        Math.abs(px - x) < half + r && py + r > y && py - r < y + 20;
      expect(dots.some((dot) => covers(dot.x, dot.y, dot.size))).toBe(false);
      for (const other of places)
        if (other.id !== id) expect(covers(other.x, other.y + 10, 10)).toBe(false);
      expect(y).toBeGreaterThanOrEqual(0);
      expect(y + 20).toBeLessThanOrEqual(view.height);
    }
  });

  it("stand beside the dots that stand together, not beside one drawn away", () => {
    const near = [0, 1, 2, 3].map((n) => ({ x: 300 + 15 * n, y: 400, size: 5 }));
    const group = { id: 1, name: "finance", dots: [...near, { x: 320, y: 60, size: 5 }] };
    const [place] = namePlaces([group], group.dots.map(boxOf), view);
    expect(place?.y).toBeGreaterThan(350);
  });

  it("are none where there is no room, or too few files", () => {
    const full = [{ left: 0, top: 0, right: 800, bottom: 600 }];
    expect(namePlaces(groups, full, view)).toEqual([]);
    const pair = { id: 3, name: "two", dots: dots.slice(0, 2) };
    expect(namePlaces([pair], [], view)).toEqual([]);
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
