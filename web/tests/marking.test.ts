import { describe, expect, it } from "vitest";
import type { Span } from "../src/api/types";
import { signed } from "../src/source/marking";

const shown = (text: string, ...marks: Span[]) =>
  signed(text, marks).replaceAll("\ue000", "[").replaceAll("\ue001", "]");

describe("marks in Markdown", () => {
  it.each<[string, Span, string]>([
    ["The deposit is 900.", [4, 11], "The [deposit] is 900."],
    ["# Title\n- one\n- two", [0, 19], "# [Title]\n- [one]\n- [two]"],
    ["| a | b |", [0, 9], "| [a | b] |"],
    ["1. first\n\n2. second", [0, 19], "1. [first]\n\n2. [second]"],
    ["😀 ok", [2, 4], "😀 [ok]"],
    ["| a | b |\n|---|---|", [0, 19], "| [a | b] |\n|---|---|"],
    ["```py\nx = 1\n```", [0, 15], "```py\n[x = 1]\n```"],
  ])("stand around the words of %j", (text, mark, expected) => {
    expect(shown(text, mark)).toBe(expected);
  });

  it("are left out where a text has the signs itself, or where they overlap", () => {
    expect(signed("a\ue000b", [[0, 1]])).toBe("a\ue000b");
    expect(shown("abcdef", [0, 3], [2, 5])).toBe("[abc]def");
  });
});
