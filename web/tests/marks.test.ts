import { describe, expect, it } from "vitest";
import type { Span } from "../src/api/types";
import { around, within } from "../src/ui/marks";

const shown = (text: string, marks: Span[], margin: number) =>
  Array.from(text)
    .slice(...around(text, marks, margin))
    .join("");

describe("a window on marks", () => {
  const text = "one two three four five six seven eight nine ten";

  it("keeps the marks and whole words around them", () => {
    expect(shown(text, [[19, 23]], 7)).toBe(" four five six seven");
  });

  it("is the beginning where nothing is marked", () => {
    expect(shown(text, [], 5)).toBe("one two three");
  });

  it("takes in all marks, and does not leave the text", () => {
    const marks: Span[] = [
      [0, 3],
      [45, 99],
    ];
    expect(shown(text, marks, 10)).toBe(text);
  });

  it("counts code points, where the text has emoji", () => {
    expect(shown("👋👋 ja 👋 nein doch", [[3, 5]], 2)).toBe(" ja 👋");
  });

  it("moves marks with it", () => {
    expect(within([[19, 23]], [13, 33])).toEqual([[6, 10]]);
    expect(within([[0, 5]], [13, 33])).toEqual([]);
  });
});
