import { describe, expect, it } from "vitest";
import { plain, quoted } from "../src/ask/excerpt";

describe("an excerpt", () => {
  it("has no holes where a file has several blank lines, and marks keep their places", () => {
    const text = "Event: Hut\n\n\n\n\nEvent: Choir";
    expect(quoted(text)).toBe("Event: Hut\nEvent: Choir");
    expect(plain(text)).toHaveLength(text.length);
  });
});
