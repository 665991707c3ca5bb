import { expect, test } from "vitest";
import { clock, isSpoken, lineAt, pageWords } from "../src/source/moment";

test("a moment is written as a clock shows it", () => {
  expect([0, 59.9, 761, 3761].map(clock)).toEqual(["0:00", "0:59", "12:41", "1:02:41"]);
});

test("a page of a recording is a second, of any other file a page", () => {
  const words = (page: number) => `page ${page}`;
  expect(pageWords("a/Talk.MP3", 762, words)).toBe("12:41");
  expect(pageWords("a/talk.mp3.pdf", 762, words)).toBe("page 762");
  expect(isSpoken("film.avi")).toBe(false);
});

test("the line that is said is the last that began", () => {
  const lines = [{ start: 1 }, { start: 5 }, { start: 5 }, { start: 9 }];
  expect([0, 1, 4.9, 5, 8, 100].map((second) => lineAt(lines, second))).toEqual([
    -1, 0, 0, 2, 2, 3,
  ]);
});
