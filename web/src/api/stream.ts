// Newline-delimited JSON, read as it arrives.

import { OfflineError, send } from "./client";

/** Each value of an NDJSON body. Throws `OfflineError` where the connection breaks. */
export async function* lines<T>(body: ReadableStream<Uint8Array>): AsyncGenerator<T> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      rest += decoder.decode(value, { stream: !done });
      const parts = rest.split("\n");
      rest = parts.pop() ?? "";
      for (const part of parts) if (part.trim()) yield JSON.parse(part) as T;
      if (done) break;
    }
    if (rest.trim()) yield JSON.parse(rest) as T;
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new OfflineError();
  } finally {
    reader.cancel().catch(() => undefined);
  }
}

/** The lines that answer a POST. Aborting `signal` stops the work behind them. */
export async function* post<T>(
  path: string,
  body: unknown,
  signal: AbortSignal,
): AsyncGenerator<T> {
  const response = await send(path, {
    method: "POST",
    body: JSON.stringify(body),
    headers: { "content-type": "application/json" },
    signal,
  });
  if (response.body) yield* lines<T>(response.body);
}
