import { describe, expect, it } from "vitest";
import type { ResultEvent } from "../src/api/types";
import { clipped, foundIn, placeOf, shortened } from "../src/ask/payload/found";
import { hasMore } from "../src/ask/payload/Payload";
import { suggested } from "../src/ask/Steps";

const result = (objects: ResultEvent["objects"], more: Partial<ResultEvent> = {}): ResultEvent => ({
  type: "result",
  step: 1,
  tool: "semantic_search",
  name: "found",
  payload_type: "passages",
  objects,
  metadata: {},
  message: "1 passage",
  seconds: 0.2,
  ...more,
});

const only = (object: ResultEvent["objects"][number]) => {
  const [found] = foundIn(result([object]));
  if (!found) throw new Error("nothing was read");
  return found;
};

describe("what was found", () => {
  it("is read by the names that tools give, and those of the first design", () => {
    const page = only({ file: "a.pdf", page: 3, lines: [{ text: "E07", similarity: 0.8 }, "E01"] });
    expect(page).toMatchObject({ file: "a.pdf", page: 3, lines: ["E07", "E01"] });
    expect(placeOf(page)).toEqual({
      file: "a.pdf",
      page: 3,
      line: null,
      lineEnd: null,
      quote: "E07",
    });
    const seen = only({ page_number: 2, interpretation: "A table.", seen_by: "moondream2" });
    expect(seen).toMatchObject({ page: 2, text: "A table.", seenBy: "moondream2" });
    expect(only({ summary: "All of it." }).text).toBe("All of it.");
  });

  it("is nothing where a field is of another type", () => {
    const odd = only({
      file: 7,
      page: "3",
      line: Number.NaN,
      lines: [null, 3, {}],
      headings: "no",
    });
    expect(odd).toMatchObject({ file: "", page: null, line: null, lines: [], headings: [] });
    expect(only({})).toMatchObject({ text: "", size: null });
  });
});

describe("a text", () => {
  it("is cut at a word, and never within a character", () => {
    expect(shortened("  two\nwords ", 20)).toBe("two words");
    expect(shortened("one two three four", 12)).toBe("one two …");
    expect(shortened("👋".repeat(9), 4)).toBe(`${"👋".repeat(4)} …`);
  });

  it("of any length takes a screen or two", () => {
    expect(clipped("short\ntext")).toBe("short\ntext");
    expect(clipped("x".repeat(20_000)).length).toBeLessThan(4_100);
  });
});

describe("a result", () => {
  it("can be opened where it holds more than its line", () => {
    const more = (own: ResultEvent, line: string) => hasMore({ result: own, line });
    expect(more(result([{ file: "a.pdf" }]), "1 passage")).toBe(true);
    expect(more(result([]), "1 passage")).toBe(false);
    const unknown = { payload_type: "of_tomorrow", message: "one\ntwo" };
    expect(more(result([{}], unknown), "one")).toBe(true);
    expect(more(result([{}], { ...unknown, message: "one" }), "one")).toBe(false);
    expect(more(result([{}], { payload_type: "constructor" }), "1 passage")).toBe(false);
  });
});

describe("what a tool suggests", () => {
  it("names tools as a person would", () => {
    expect(suggested("Try semantic_search for text.")).toBe("Try content search for text.");
    expect(suggested("semantic_search reads it.")).toBe("Content search reads it.");
    expect(suggested("Open my_own.pdf.")).toBe("Open my_own.pdf.");
    expect(suggested("hasOwnProperty is_prototype_of")).toContain("is_prototype_of");
  });
});
