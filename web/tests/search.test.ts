import { describe, expect, test } from "vitest";
import type { FoundPassage } from "../src/api/types";
import { askAbout, FEW } from "../src/ask/scope";
import { de } from "../src/language/de";
import { askingOf } from "../src/search/asking";
import { foldersOf, matching } from "../src/search/folders";
import { filtersOf, parametersOf, queryIn, withQuery } from "../src/search/query";
import { alsoOf, countOf, dateOf, grouped, placeOf, spent, spotOf } from "../src/search/results";
import { withPlace } from "../src/source/place";
import { moved } from "../src/ui/roving";

function passage(file: string, change: Partial<FoundPassage> = {}): FoundPassage {
  return {
    file,
    page: 1,
    line: 4,
    line_end: 6,
    score: 0.9,
    text: "The deposit is 3,540.00 euros. The rest.",
    also: [],
    title: null,
    date: "2022-02-04",
    modified: "2023-05-01T12:00:00+00:00",
    format: "pdf",
    snippet: "The deposit is 3,540.00 euros.",
    marks: [[4, 11]],
    ...change,
  };
}

describe("a query in the address", () => {
  const whole = {
    q: "rent & deposit",
    kind: "pdf",
    folder: "home/flat",
    since: "2022-01-01",
    until: "2024-12-31",
    sort: "date",
  } as const;

  test("is read as it was written", () => {
    const text = withQuery(new URLSearchParams(), whole).toString();
    expect(queryIn(new URLSearchParams(text))).toEqual(whole);
  });

  test("stands beside an open source, and neither changes the other", () => {
    const source = { file: "a b.pdf", page: 3, quote: "q=1&type=x" };
    const both = withPlace(withQuery(new URLSearchParams(), whole), source);
    expect(queryIn(both)).toEqual(whole);
    const changed = withQuery(both, { q: "", kind: "" });
    expect(changed.get("f")).toBe("a b.pdf");
    expect(changed.get("s")).toBe("q=1&type=x");
    expect(queryIn(withPlace(both, null))).toEqual(whole);
  });

  test("loses what is empty or goes without saying", () => {
    const search = withQuery(new URLSearchParams("q=a&type=pdf&sort=date"), {
      kind: "",
      sort: "relevance",
    });
    expect(search.toString()).toBe("q=a");
  });

  test.each(["0202-03-01", "2024-02-30", "2024-3-1", "yesterday"])("knows no day %s", (day) => {
    expect(queryIn(new URLSearchParams({ since: day })).since).toBe("");
  });

  test("takes a folder with slashes around it, and any order but date for the best first", () => {
    const query = queryIn(new URLSearchParams("path=/home/flat/&sort=size"));
    expect(query.folder).toBe("home/flat");
    expect(query.sort).toBe("relevance");
  });

  test("names the filters in force", () => {
    expect(filtersOf(whole).map(({ name }) => name)).toEqual([
      "PDFs",
      "in home/flat",
      "from 1 January 2022",
      "to 31 December 2024",
    ]);
    expect(filtersOf(queryIn(new URLSearchParams("q=a&sort=date")))).toEqual([]);
    expect(filtersOf({ ...whole, kind: ".csv" })[0]?.name).toBe(".csv");
  });

  test("becomes the parameters of the server", () => {
    expect(parametersOf(whole, "household", 30)).toEqual({
      q: "rent & deposit",
      library: "household",
      limit: 30,
      type: "pdf",
      path: "home/flat",
      since: "2022-01-01",
      until: "2024-12-31",
      sort: "date",
    });
  });
});

describe("passages found", () => {
  test("stand under their files, in the order in which they were found", () => {
    const groups = grouped([
      passage("b.pdf", { snippet: "one" }),
      passage("a.pdf", { snippet: "two" }),
      passage("b.pdf", { snippet: "three", page: 2 }),
    ]);
    expect(groups.map(({ file }) => file)).toEqual(["b.pdf", "a.pdf"]);
    expect(groups[0]?.passages.map(({ snippet }) => snippet)).toEqual(["one", "three"]);
  });

  test("are said once where two say the same of one page, twice on two pages", () => {
    const groups = grouped([passage("a.pdf"), passage("a.pdf"), passage("a.pdf", { page: 2 })]);
    expect(groups[0]?.passages.map(({ page }) => page)).toEqual([1, 2]);
  });

  test("are counted; where there may be more, they are the best", () => {
    const groups = grouped([passage("a.pdf"), passage("a.pdf", { page: 2 }), passage("b.pdf")]);
    expect(countOf(groups, false)).toBe("3 passages in 2 files");
    expect(countOf(groups, true)).toBe("The 3 best passages, in 2 files");
    expect(countOf(grouped([passage("a.pdf")]), false)).toBe("1 passage in 1 file");
  });

  test("name the other files that hold their text, once", () => {
    const two = [passage("a.pdf", { also: ["b.pdf"] }), passage("a.pdf", { also: ["b.pdf"] })];
    expect(alsoOf(two, 0)).toBe("Also in b.pdf");
    expect(alsoOf(two, 1)).toBeNull();
    expect(alsoOf([passage("a.pdf")], 0)).toBeNull();
    const also = ["b.pdf", "c.pdf", "d.pdf", "e.pdf"];
    expect(alsoOf([passage("a.pdf", { also })], 0)).toBe(
      "Also in b.pdf, c.pdf, d.pdf and 1 more file",
    );
    const five = [passage("a.pdf"), passage("a.pdf", { also: [...also, "f.pdf"] })];
    expect(alsoOf(five, 1)).toBe("Also in b.pdf, c.pdf, d.pdf and 2 more files");
  });

  test("lead to the words that were found", () => {
    expect(placeOf(passage("a.pdf")).quote).toBe("deposit");
    const two = {
      snippet: "rent and deposit",
      marks: [
        [0, 4],
        [9, 16],
      ] as [number, number][],
    };
    expect(placeOf(passage("a.pdf", two)).quote).toBe("rent and deposit");
    const far = {
      snippet: `rent ${"x".repeat(200)} deposit`,
      marks: [
        [0, 4],
        [206, 213],
      ],
    };
    expect(placeOf(passage("a.pdf", far as Partial<FoundPassage>)).quote).toBe("rent");
  });

  test("without any of the words are only the nearest", () => {
    expect(countOf(grouped([passage("a.pdf", { marks: [] })]), true)).toBe(
      "No file has these words. The nearest in meaning, in 1 file",
    );
  });

  test("lead to their place, without the dots of a sentence that was cut", () => {
    expect(placeOf(passage("a.pdf", { snippet: "… and the deposit …", marks: [] }))).toEqual({
      file: "a.pdf",
      page: 1,
      line: 4,
      lineEnd: 6,
      quote: "and the deposit",
    });
    expect(placeOf(passage("a.pdf", { snippet: "…" })).quote).toBeNull();
  });

  test("say where they stand and when they were written", () => {
    expect(spotOf(passage("a.pdf", { page: 3 }))).toBe("Page 3");
    expect(spotOf(passage("a.md", { page: null, format: "markdown" }))).toBe("Line 4");
    expect(spotOf(passage("a.jpg", { page: null, format: "jpeg" }))).toBeNull();
    expect(dateOf(passage("a.pdf"))).toBe("4 February 2022");
    expect(dateOf(passage("a.pdf", { date: null }))).toBe("changed 1 May 2023");
  });

  test("took their time", () => {
    expect(spent(83.6)).toBe("84 ms");
    expect(spent(1234)).toBe("1.2 s");
  });
});

describe("what can be asked from a search", () => {
  const plain = { folder: "", since: "", until: "" };
  const narrow = { folder: "home", since: "2022-01-01", until: "" };
  const many = Array.from({ length: FEW + 1 }, (_, n) => `${n}.pdf`);

  test("is the files found, where they are few, with the days of the search", () => {
    expect(askingOf(plain, ["a.pdf", "b.pdf"])).toEqual({
      scope: { paths: ["a.pdf", "b.pdf"], from: null, to: null },
      name: "Ask about these 2 files",
    });
    expect(askingOf(plain, ["a.pdf"])?.name).toBe("Ask about this file");
    expect(askingOf(narrow, ["home/a.pdf"])?.scope).toEqual({
      paths: ["home/a.pdf"],
      from: "2022-01-01",
      to: null,
    });
  });

  test("is the files marked, as long as the search finds them", () => {
    const marked = new Set(["3.pdf", "5.pdf", "gone.pdf"]);
    expect(askingOf(narrow, many, marked)?.scope.paths).toEqual(["3.pdf", "5.pdf"]);
    expect(askingOf(plain, many, new Set(["gone.pdf"]))).toBeNull();
  });

  test("is the folder and the days of a search that finds many files", () => {
    expect(askingOf(narrow, many)).toEqual({
      scope: { paths: ["home"], from: "2022-01-01", to: null },
      name: "Ask about this folder and period",
    });
    expect(askingOf({ ...plain, folder: "home" }, many)?.name).toBe("Ask about this folder");
    expect(askingOf({ ...plain, until: "2024-12-31" })).toEqual({
      scope: { paths: [], from: null, to: "2024-12-31" },
      name: "Ask about this period",
    });
    expect(askingOf(plain, many)).toBeNull();
  });

  test("stands in the address of the question", () => {
    const asking = askingOf(narrow, ["a & b.pdf"]);
    expect(askAbout("household", asking?.scope ?? {})).toBe(
      "/ask?scope=a+%26+b.pdf&from=2022-01-01&in=household",
    );
  });
});

test("one and many are told apart in German, too", () => {
  const { results, ask } = de.search;
  expect(results.found(1, 1)).toBe("1 Stelle in 1 Datei");
  expect(results.best(1, 1)).toBe("Die beste Stelle, in 1 Datei");
  expect(results.best(30, 12)).toBe("Die 30 besten Stellen, in 12 Dateien");
  expect(results.also("a.pdf", 2)).toBe("Auch in a.pdf und 2 weiteren Dateien");
  expect(ask.files(1)).toBe("Zu dieser Datei fragen");
});

describe("folders", () => {
  const folders = foldersOf(["a.txt", "b/x.txt", "b/c/y.txt", "b/c/z.txt", "b-2/x.txt"]);

  test("come from the paths of files, each with what is in it and below", () => {
    expect(folders).toEqual([
      { path: "b", files: 3 },
      { path: "b/c", files: 2 },
      { path: "b-2", files: 1 },
    ]);
  });

  test("are narrowed by what is typed, in any case", () => {
    expect(matching(folders, " B/C ").map(({ path }) => path)).toEqual(["b/c"]);
    expect(matching(folders, "")).toHaveLength(3);
    expect(matching(folders, "none")).toEqual([]);
  });
});

test("the arrow keys stop at both ends of a list", () => {
  expect(moved("ArrowDown", 0, 3)).toBe(1);
  expect(moved("ArrowDown", 2, 3)).toBe(2);
  expect(moved("ArrowUp", 0, 3)).toBe(0);
  expect(moved("End", 0, 3)).toBe(2);
  expect(moved("Home", 2, 3)).toBe(0);
  expect(moved("Enter", 1, 3)).toBeNull();
  expect(moved("ArrowDown", -1, 0)).toBeNull();
});
