import { describe, expect, it } from "vitest";
import { OfflineError } from "../src/api/client";
import { lines } from "../src/api/stream";

function body(chunks: Uint8Array[], broken = false): ReadableStream<Uint8Array> {
  return new ReadableStream({
    pull(controller) {
      const next = chunks.shift();
      if (next) controller.enqueue(next);
      else if (broken) controller.error(new TypeError("network error"));
      else controller.close();
    },
  });
}

async function all(stream: ReadableStream<Uint8Array>): Promise<unknown[]> {
  const found: unknown[] = [];
  for await (const value of lines(stream)) found.push(value);
  return found;
}

describe("newline-delimited JSON", () => {
  const values = [{ a: "é😀" }, { b: [1, 2] }, { c: "line\nbreak" }];
  const bytes = new TextEncoder().encode(values.map((v) => `${JSON.stringify(v)}\n`).join(""));

  it.each([1, 2, 3, 7, 1000])("is read whole in pieces of %i bytes", async (size) => {
    const chunks: Uint8Array[] = [];
    for (let at = 0; at < bytes.length; at += size) chunks.push(bytes.slice(at, at + size));
    expect(await all(body(chunks))).toEqual(values);
  });

  it("needs no line end after the last value", async () => {
    expect(await all(body([bytes.slice(0, -1)]))).toEqual(values);
  });

  it("tells of a connection that breaks, after what came before", async () => {
    const found: unknown[] = [];
    const reading = (async () => {
      for await (const value of lines(body([bytes], true))) found.push(value);
    })();
    await expect(reading).rejects.toBeInstanceOf(OfflineError);
    expect(found).toEqual(values);
  });
});
