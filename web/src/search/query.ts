// What is searched for. It stands in the address, beside the keys of the source panel.

import { say } from "../language";
import { dayName, isDay } from "../ui/dates";

export interface Query {
  q: string;
  /** What the server's `type` understands; "" for every kind. */
  kind: string;
  folder: string;
  since: string;
  until: string;
  sort: "relevance" | "date";
}

export type Part = Exclude<keyof Query, "q" | "sort">;

const KEYS = {
  q: "q",
  kind: "type",
  folder: "path",
  since: "since",
  until: "until",
  sort: "sort",
} as const;

export const KINDS = [
  { kind: "", name: say.search.kinds.all },
  { kind: "word", name: say.search.kinds.word },
  { kind: "pdf", name: say.search.kinds.pdf },
  { kind: "images", name: say.search.kinds.images },
  { kind: "spreadsheets", name: say.search.kinds.spreadsheets },
  { kind: "slides", name: say.search.kinds.slides },
  { kind: "email", name: say.search.kinds.email },
  { kind: "markdown", name: say.search.kinds.markdown },
  { kind: "textfiles", name: say.search.kinds.textfiles },
];

/** The query of an address; what makes no sense there is left out. */
export function queryIn(search: URLSearchParams): Query {
  const text = (key: keyof typeof KEYS) => (search.get(KEYS[key]) ?? "").trim();
  const day = (key: "since" | "until") => (isDay(text(key)) ? text(key) : "");
  return {
    q: text("q"),
    kind: text("kind").slice(0, 50),
    folder: text("folder").replace(/^\/+|\/+$/g, ""),
    since: day("since"),
    until: day("until"),
    sort: text("sort") === "date" ? "date" : "relevance",
  };
}

/** `search` with these parts of the query changed; all else in it stays. */
export function withQuery(search: URLSearchParams, change: Partial<Query>): URLSearchParams {
  const changed = new URLSearchParams(search);
  for (const [part, value] of Object.entries(change)) {
    const key = KEYS[part as keyof Query];
    if (!value || (part === "sort" && value === "relevance")) changed.delete(key);
    else changed.set(key, value);
  }
  return changed;
}

/** The filters in force, in words. */
export function filtersOf(query: Query): { part: Part; name: string }[] {
  const { inForce } = say.search;
  const named = KINDS.find(({ kind }) => kind === query.kind)?.name ?? query.kind;
  const all: { part: Part; name: string }[] = [
    { part: "kind", name: named },
    { part: "folder", name: inForce.folder(query.folder) },
    { part: "since", name: inForce.since(dayName(query.since)) },
    { part: "until", name: inForce.until(dayName(query.until)) },
  ];
  return all.filter(({ part }) => query[part]);
}

/** As `GET /search` wants it. */
export function parametersOf(query: Query, library: string, limit: number) {
  return {
    q: query.q,
    library,
    limit,
    type: query.kind,
    path: query.folder,
    since: query.since,
    until: query.until,
    sort: query.sort,
  };
}
