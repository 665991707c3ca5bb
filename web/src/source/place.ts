// Which source is open beside the page. It stands in the address, so that Back closes it; closed by
// hand, it is in no entry that Back leads to.

import { useLocation, useSearchParams } from "react-router";
import { searchNow } from "../ui/address";

/** A place in a file. `quote` is what is highlighted there; else the lines. */
export interface Place {
  file: string;
  page?: number | null;
  line?: number | null;
  lineEnd?: number | null;
  quote?: string | null;
  /** The character of the line that the quote is looked for from, where it stands there twice. */
  column?: number | null;
}

const KEYS = {
  file: "f",
  page: "p",
  line: "l",
  lineEnd: "e",
  quote: "s",
  column: "c",
} as const;
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
    column: number(KEYS.column),
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
  if (place.column) changed.set(KEYS.column, String(place.column));
  return changed;
}

/** What the server is asked for a place, within its file and page. */
export function placed(place: Place | null) {
  return {
    quote: place?.quote,
    line: place?.line,
    line_end: place?.lineEnd,
    column: place?.column,
  };
}

/** The source that is open, and ways to open another and to close it. */
export function useSource() {
  const [search, setSearch] = useSearchParams();
  const place = placeIn(search);
  const opened = (useLocation().state as { opened?: number } | null)?.opened;
  return {
    place,
    /** When it was opened by `open`: the same place may be opened again. */
    opened,
    open: (wanted: Place) =>
      setSearch(withPlace(searchNow(), wanted), {
        replace: place !== null,
        state: { opened: performance.now() },
      }),
    close: () => setSearch(withPlace(searchNow(), null), { replace: true }),
  };
}
