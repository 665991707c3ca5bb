import { afterEach, describe, expect, test, vi } from "vitest";
import { EVERYTHING, inWords, parsed, scopeOf, withScope } from "../src/ask/scope";
import { Conversation } from "../src/ask/talks";

describe("a scope", () => {
  test("is read from its text: a path a line, and last the period", () => {
    expect(parsed(null)).toEqual(EVERYTHING);
    expect(parsed("home/a.pdf\nrecipes")).toEqual({
      ...EVERYTHING,
      paths: ["home/a.pdf", "recipes"],
    });
    expect(parsed("recipes\n2024-01-01..2024-12-31")).toEqual({
      paths: ["recipes"],
      from: "2024-01-01",
      to: "2024-12-31",
    });
    expect(parsed("..2024-12-31")).toEqual({ paths: [], from: null, to: "2024-12-31" });
    expect(parsed("2024-01-01..")).toEqual({ paths: [], from: "2024-01-01", to: null });
  });

  test("is told in few words, and not where it is everything", () => {
    expect(inWords(EVERYTHING)).toBeNull();
    expect(inWords(parsed("recipes\n2024-03-01.."))).toBe("recipes, since 1 March 2024");
    expect(inWords(parsed("a\nb\nc\nd\ne"))).toBe("a, b, c, 2 more");
  });

  test("stands in the address, where half a year is no day", () => {
    const scope = parsed("recipes\n2024-03-01..2024-03-02");
    expect(scopeOf(withScope(new URLSearchParams("f=a"), scope))).toEqual(scope);
    expect(scopeOf(new URLSearchParams("from=0002-03-01&to=x"))).toEqual(EVERYTHING);
  });
});

describe("a conversation", () => {
  afterEach(() => vi.unstubAllGlobals());

  test("takes one question at a time, each with its scope", () => {
    vi.stubGlobal("fetch", () => new Promise(() => undefined));
    const talk = new Conversation("home", "1", () => undefined);
    const scope = parsed("recipes");
    void talk.ask("one", { thorough: false, scope, way: null }, () => undefined);
    void talk.ask("two", { thorough: false, scope: EVERYTHING, way: null }, () => undefined);
    expect(talk.state().turns).toMatchObject([{ question: "one", state: "running", scope }]);
  });
});
