import { describe, expect, test } from "vitest";
import { wayOf, withWay } from "../src/ask/ways";

const WAYS = { all: ["agent", "simple", "tree"], asSet: "agent" };
const at = (text: string) => new URLSearchParams(text);

describe("the strategy of a question", () => {
  test("stands in the address, beside what else does", () => {
    const chosen = withWay(at("in=home&scope=recipes&by=simple"), "tree");
    expect(chosen.toString()).toBe("in=home&scope=recipes&by=tree");
    expect(wayOf(chosen, WAYS)).toBe("tree");
    expect(withWay(chosen, null).toString()).toBe("in=home&scope=recipes");
  });

  test("is as set where none is named, or one that there is not", () => {
    expect(wayOf(at(""), WAYS)).toBeNull();
    expect(wayOf(at("by=magic"), WAYS)).toBeNull();
  });

  test("is taken as it is until all are known: the server refuses what it has not", () => {
    expect(wayOf(at("by=tree"), null)).toBe("tree");
  });
});
