// Requests to the server that the page came from.

import { language, say } from "../language";

/** An answer that is an error: what happened, and what to do about it. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly hint: string | null,
  ) {
    super(message);
  }
}

/** The server cannot be reached at all. */
export class OfflineError extends ApiError {
  constructor() {
    super(0, "offline", say.ui.offline, say.ui.offlineHint);
  }
}

type Parameters = Record<string, string | number | boolean | null | undefined>;

/** `path` with its query; what is null, undefined or empty is left out. */
export function url(path: string, query: Parameters = {}): string {
  const given = Object.entries(query).filter(([, value]) => value != null && value !== "");
  const text = new URLSearchParams(given.map(([key, value]) => [key, String(value)])).toString();
  return text ? `${path}?${text}` : path;
}

/** A request to the server, which answers in the page's language. */
export function request(path: string, init: RequestInit = {}): Promise<Response> {
  return fetch(path, { ...init, headers: { ...init.headers, "accept-language": language } });
}

/** The response to a request. Throws `ApiError`. */
export async function send(path: string, init: RequestInit = {}): Promise<Response> {
  let response: Response;
  try {
    response = await request(path, init);
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new OfflineError();
  }
  if (!response.ok) throw await failure(response);
  return response;
}

/** The JSON at `path`. Throws `ApiError`. */
export async function get<T>(path: string, query?: Parameters, signal?: AbortSignal): Promise<T> {
  const response = await send(url(path, query), { signal: signal ?? null });
  return (await response.json()) as T;
}

/** Sends JSON, and gives what comes back (nothing for an empty answer). Throws `ApiError`. */
export async function change<T = void>(
  method: "POST" | "PATCH" | "DELETE",
  path: string,
  body?: unknown,
): Promise<T> {
  const init: RequestInit = { method };
  if (body !== undefined) {
    init.body = JSON.stringify(body);
    init.headers = { "content-type": "application/json" };
  }
  const response = await send(path, init);
  const text = await response.text();
  return (text ? JSON.parse(text) : undefined) as T;
}

async function failure(response: Response): Promise<ApiError> {
  try {
    const { error } = (await response.json()) as {
      error: { message: string; hint: string | null; code: string };
    };
    return new ApiError(response.status, error.code, error.message, error.hint);
  } catch {
    return new ApiError(response.status, "unknown", say.ui.serverSaid(response.status), null);
  }
}
