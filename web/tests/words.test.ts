import { describe, expect, test } from "vitest";
import { dayName, daysAgo, isDay, monthName, weekday } from "../src/ui/dates";
import { fileName, folderOf, kindOf } from "../src/ui/files";
import { pieces } from "../src/ui/marks";

describe("marks", () => {
  const said = (text: string, marks: [number, number][]) =>
    pieces(text, marks).map((piece) => (piece.marked ? `[${piece.text}]` : piece.text));

  test("are counted in code points, so that what is no single unit moves nothing", () => {
    expect(said("🏠🏠 rent 🧾", [[3, 7]])).toEqual(["🏠🏠 ", "[rent]", " 🧾"]);
    expect(said("a🏠b", [[1, 2]])).toEqual(["a", "[🏠]", "b"]);
  });

  test("may overlap, be empty, out of order, or reach beyond the end", () => {
    const marks: [number, number][] = [
      [8, 99],
      [0, 3],
      [2, 5],
      [6, 6],
      [50, 60],
    ];
    expect(said("the deposit", marks)).toEqual(["[the]", "[ d]", "epo", "[sit]"]);
  });

  test("lose nothing of the text", () => {
    const text = "Wärme\u0308 👩‍👩‍👧 weg";
    const whole = pieces(text, [
      [2, 4],
      [9, 11],
    ]);
    expect(whole.map((piece) => piece.text).join("")).toBe(text);
    expect(pieces("", [[0, 1]])).toEqual([]);
  });
});

describe("dates", () => {
  test("are named in every time zone alike", () => {
    expect(dayName("2024-03-01")).toBe("1 March 2024");
    expect(weekday("2024-03-01")).toBe("Friday");
    expect(monthName("2024-12")).toBe("December 2024");
    expect(dayName("some day")).toBe("some day");
  });

  test("are days only if there is such a day", () => {
    expect(isDay("2024-02-29")).toBe(true);
    expect(isDay("2023-02-29")).toBe(false);
    expect(isDay("0024-02-29")).toBe(false);
    expect(isDay("")).toBe(false);
  });

  test("are counted back by the calendar, not by hours", () => {
    const now = new Date(2026, 2, 30, 0, 5); // the night after clocks change in Europe
    expect(daysAgo(new Date(2026, 2, 29, 23, 55).toISOString(), now)).toBe(1);
    expect(daysAgo(new Date(2026, 2, 28, 1, 0).toISOString(), now)).toBe(2);
    expect(daysAgo(now.toISOString(), now)).toBe(0);
  });
});

describe("a path", () => {
  test("has a name and a folder", () => {
    expect(fileName("a/b/c.pdf")).toBe("c.pdf");
    expect(folderOf("a/b/c.pdf")).toBe("a/b");
    expect(folderOf("c.pdf")).toBe("");
  });

  test("has a kind, by the format that was found, else by its ending", () => {
    expect(kindOf("a.dat", "pdf")).toBe("pdf");
    expect(kindOf("a.JPG", null)).toBe("image");
    expect(kindOf("a.tsv", "text")).toBe("sheet");
    expect(kindOf("Makefile", null)).toBe("text");
    expect(kindOf("pdf/readme", null)).toBe("text");
  });
});
