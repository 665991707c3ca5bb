import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { ConversationItem } from "../src/api/types";
import { Deletions, WAIT } from "../src/conversations/deletions";
import { isTitle, sectionOf, sections, whenOf } from "../src/conversations/list";

const NOW = new Date(2026, 10, 22, 9, 30);

function at(...moment: [number, number, number, number, number]): string {
  return new Date(...moment).toISOString(); // told in this computer's time, whatever it is
}

function item(id: string, updated: string): ConversationItem {
  return { id, library: "home", title: `About ${id}`, created: updated, updated, turns: 1 };
}

describe("the list", () => {
  test.each([
    [at(2026, 10, 22, 0, 1), "Today"],
    [at(2026, 10, 22, 23, 59), "Today"],
    [at(2026, 10, 21, 23, 59), "Yesterday"],
    [at(2026, 10, 16, 12, 0), "The last seven days"],
    [at(2026, 10, 15, 12, 0), "November 2026"],
    [at(2025, 0, 31, 12, 0), "January 2025"],
  ])("puts %s under %s", (moment, name) => {
    expect(sectionOf(moment, NOW)).toBe(name);
  });

  test("keeps the order, and gives each conversation once", () => {
    const items = [
      item("a", at(2026, 10, 22, 8, 0)),
      item("b", at(2026, 10, 22, 7, 0)),
      item("c", at(2026, 9, 3, 7, 0)),
      item("b", at(2026, 10, 22, 7, 0)), // moved to the next page meanwhile
    ];
    const found = sections(items, NOW).map(({ name, items }) => [name, items.map(({ id }) => id)]);
    expect(found).toEqual([
      ["Today", ["a", "b"]],
      ["October 2026", ["c"]],
    ]);
  });

  test("says the time of what is recent, the day of what is not", () => {
    expect(whenOf(at(2026, 10, 21, 14, 3), NOW)).toBe("14:03");
    expect(whenOf(at(2026, 9, 3, 14, 3), NOW)).toBe("3 October 2026");
  });

  test("wants a letter or a figure in a title, of any script", () => {
    expect(isTitle("Miete")).toBe(true);
    expect(isTitle("家賃")).toBe(true);
    expect(isTitle("42")).toBe(true);
    expect(isTitle(" … _ !")).toBe(false);
  });
});

describe("a deletion", () => {
  const rent = item("rent", at(2026, 10, 22, 8, 0));
  const boiler = item("boiler", at(2026, 10, 22, 7, 0));
  let sent: [string, boolean][];
  let fails: boolean;
  let deletions: Deletions;

  beforeEach(() => {
    vi.useFakeTimers();
    sent = [];
    fails = false;
    deletions = new Deletions(async (item, leaving) => {
      sent.push([item.id, leaving]);
      if (fails) throw new Error("in use");
    });
  });
  afterEach(() => vi.useRealTimers());

  test("is sent when its time is over, and not before", async () => {
    deletions.begin(rent);
    await vi.advanceTimersByTimeAsync(WAIT - 1);
    expect(sent).toEqual([]);
    expect(deletions.entries()).toMatchObject([{ item: rent, state: "waiting" }]);
    await vi.advanceTimersByTimeAsync(1);
    expect(sent).toEqual([["rent", false]]);
    expect(deletions.entries()).toEqual([]);
  });

  test("is never sent when it is taken back", async () => {
    deletions.begin(rent);
    await vi.advanceTimersByTimeAsync(WAIT - 1);
    deletions.undo("rent");
    deletions.leave();
    await vi.advanceTimersByTimeAsync(10 * WAIT);
    expect(sent).toEqual([]);
    expect(deletions.entries()).toEqual([]);
  });

  test("is sent at once when the page is left, once only", async () => {
    deletions.begin(rent);
    deletions.begin(boiler);
    deletions.leave();
    deletions.leave();
    await vi.advanceTimersByTimeAsync(10 * WAIT);
    expect(sent).toEqual([
      ["rent", true],
      ["boiler", true],
    ]);
  });

  test("that fails is told, and can be tried again or given up", async () => {
    fails = true;
    deletions.begin(rent);
    await vi.advanceTimersByTimeAsync(WAIT);
    expect(deletions.entries()).toMatchObject([{ state: "failed", error: new Error("in use") }]);
    deletions.leave(); // nobody would see how it ends
    expect(sent).toHaveLength(1);
    fails = false;
    deletions.retry("rent");
    await vi.advanceTimersByTimeAsync(0);
    expect(sent).toHaveLength(2);
    expect(deletions.entries()).toEqual([]);
  });

  test("tells those who listen, until they no longer do", () => {
    let told = 0;
    const stop = deletions.subscribe(() => {
      told += 1;
    });
    deletions.begin(rent);
    stop();
    deletions.undo("rent");
    expect(told).toBe(1);
  });
});
