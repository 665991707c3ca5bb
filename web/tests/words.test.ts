import { afterEach, describe, expect, test, vi } from "vitest";
import { de } from "../src/language/de";
import { dayName, daysAgo, isDay, monthName, weekday } from "../src/ui/dates";
import { fileName, folderOf, kindOf } from "../src/ui/files";
import { pieces } from "../src/ui/marks";

describe("a language", () => {
  afterEach(() => vi.unstubAllGlobals());

  test("writes its numbers as it does, however long something took", async () => {
    const { seconds } = await import("../src/language/choice");
    expect([0.04, 1.25, 9.96, 1234.5].map(seconds)).toEqual(["0.0 s", "1.3 s", "10 s", "1,235 s"]);
    vi.stubGlobal("localStorage", { getItem: () => "de" });
    vi.resetModules();
    const german = await import("../src/language/choice");
    expect([1.25, 1234.5].map(german.seconds)).toEqual(["1,3 s", "1.235 s"]);
  });

  test("has words of its own for the kinds of files", () => {
    expect(de.ask.suggest.counted?.("picture", "")).toBe("Wie viele Bilder gibt es?");
    expect(de.ask.suggest.counted?.("rare", "")).toContain("der Art rare");
  });
});

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
