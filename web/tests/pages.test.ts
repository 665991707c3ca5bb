import { describe, expect, it } from "vitest";
import {
  anchorAt,
  arrival,
  GAP,
  heightOf,
  layout,
  pageAt,
  scrollOf,
  topOf,
} from "../src/source/layout";
import { keyed, pictureWidth, stepped, wheeled } from "../src/source/zoom";

describe("pages below each other", () => {
  const three = layout(3, 100, new Map([[2, 0.5]]), 1.4);

  it("have their places before they are seen", () => {
    expect([1, 2, 3].map((page) => heightOf(three, page))).toEqual([140, 50, 140]);
    expect([1, 2, 3].map((page) => topOf(three, page))).toEqual([12, 164, 226]);
    expect(three.height).toBe(378);
  });

  it("are found by where they stand", () => {
    expect([-50, 0, 163, 164, 225, 226, 9999].map((y) => pageAt(three, y))).toEqual([
      1, 1, 1, 2, 2, 3, 3,
    ]);
  });

  it("stay in sight when they grow", () => {
    const seen = anchorAt(three, 200, 80);
    const grown = layout(3, 250, new Map([[1, 2]]), 1.4);
    expect(seen.page).toBe(3);
    expect(anchorAt(grown, scrollOf(grown, seen), 80)).toEqual(seen);
  });

  it("are opened with their mark in sight, else at their top", () => {
    expect(scrollOf(three, arrival(2, undefined, 600))).toBe(topOf(three, 2) - GAP);
    expect(scrollOf(three, arrival(3, [0, 0.5, 1, 0.6], 60))).toBe(topOf(three, 3) + 70 - 20);
  });
});

describe("the size of pages", () => {
  it("goes up and down by steps, within limits", () => {
    expect([
      stepped(1, 1),
      stepped(1, -1),
      stepped(1.1, 1),
      stepped(3, 1),
      stepped(0.5, -1),
    ]).toEqual([1.25, 0.75, 1.25, 3, 0.5]);
    expect([wheeled(1, -300), wheeled(1, 5000), wheeled(1, -5000)]).toEqual([2, 0.5, 3]);
  });

  it("follows keys", () => {
    expect(["+", "=", "-", "0", "x"].map((key) => keyed(2, key))).toEqual([2.5, 2.5, 1.5, 1, null]);
  });

  it("asks for few widths of pictures", () => {
    expect([300, 800, 1200, 1900, 9000].map((width) => pictureWidth(width, 1))).toEqual([
      800, 800, 1400, 2000, 3000,
    ]);
    expect(pictureWidth(600, 2)).toBe(1400);
  });
});
