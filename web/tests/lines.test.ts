import { describe, expect, it } from "vitest";
import { linesOf } from "../src/source/lines";

describe("the lines of a view", () => {
  it("have their numbers, and their share of what is marked", () => {
    const text = "first 😀 line\nsecond\nthird";
    const lines = linesOf({ text, first_line: 41, marks: [[6, 16]] });
    expect(lines.map((line) => line.number)).toEqual([41, 42, 43]);
    expect(lines.map((line) => line.marks)).toEqual([[[6, 12]], [[0, 3]], []]);
  });

  it("are marked nowhere where nothing is", () => {
    expect(
      linesOf({ text: "a\n\nb", first_line: 1, marks: [] }).every((l) => !l.marks.length),
    ).toBe(true);
  });
});
