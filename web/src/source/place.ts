// Which source is open beside the page. It stands in the address, so that Back closes it; closed by
// hand, it is in no entry that Back leads to.

import { useSearchParams } from "react-router";

/** A place in a file. `quote` is what is highlighted there; else the lines. */
export interface Place {
  file: string;
  page?: number | null;
  line?: number | null;
  lineEnd?: number | null;
  quote?: string | null;
}

const KEYS = { file: "f", page: "p", line: "l", lineEnd: "e", quote: "s" } as const;
const QUOTE = 400; // characters of a quote that are kept in the address

function placeIn(search: URLSearchParams): Place | null {
  const file = search.get(KEYS.file);
  if (!file) return null;
  const number = (key: string) => Number(search.get(key)) || null;
  return {
    file,
    page: number(KEYS.page),
    line: number(KEYS.line),
    lineEnd: number(KEYS.lineEnd),
    quote: search.get(KEYS.quote),
  };
}

/** `search` with `place` in it, or without any. */
export function withPlace(search: URLSearchParams, place: Place | null): URLSearchParams {
  const changed = new URLSearchParams(search);
  for (const key of Object.values(KEYS)) changed.delete(key);
  if (!place) return changed;
  changed.set(KEYS.file, place.file);
  if (place.page) changed.set(KEYS.page, String(place.page));
  if (place.line) changed.set(KEYS.line, String(place.line));
  if (place.lineEnd) changed.set(KEYS.lineEnd, String(place.lineEnd));
  if (place.quote) changed.set(KEYS.quote, place.quote.slice(0, QUOTE));
  return changed;
}

/** The source that is open, and ways to open another and to close it. */
export function useSource() {
  const [search, setSearch] = useSearchParams();
  const place = placeIn(search);
  return {
    place,
    open: (wanted: Place) => setSearch(withPlace(search, wanted), { replace: place !== null }),
    close: () => setSearch(withPlace(search, null), { replace: true }),
  };
}
