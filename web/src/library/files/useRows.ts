// Which rows of a long list are drawn, and which of them the keyboard is at.

import { defaultRangeExtractor, useVirtualizer } from "@tanstack/react-virtual";
import {
  type FocusEvent,
  type KeyboardEvent,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from "react";

import type { FileItem } from "../../api/types";
import { fileName } from "../../ui/files";

const ONE_LINE = 38; // characters of a name that fit in a line, about
const LEAP = 10; // rows of Page Up and Page Down
const COLUMNS = 2; // what the keyboard reaches in a row: the name and the menu

export interface Cell {
  row: number;
  column: number;
}

/** Where a key leads from a cell; null: the key means nothing here. */
export function moved(from: Cell, key: string, rows: number): Cell | null {
  const last = rows - 1;
  const to = (row: number) => ({ row: Math.max(0, Math.min(row, last)), column: from.column });
  switch (key) {
    case "ArrowDown":
      return to(from.row + 1);
    case "ArrowUp":
      return to(from.row - 1);
    case "PageDown":
      return to(from.row + LEAP);
    case "PageUp":
      return to(from.row - LEAP);
    case "Home":
      return to(0);
    case "End":
      return to(last);
    case "ArrowRight":
      return { ...from, column: Math.min(from.column + 1, COLUMNS - 1) };
    case "ArrowLeft":
      return { ...from, column: Math.max(from.column - 1, 0) };
    default:
      return null;
  }
}

/** The height of a row in pixels, about, before it is measured. */
function heightOf(file: FileItem | undefined): number {
  if (!file) return 0;
  return 61 + (file.reason ? 20 : 0) + (fileName(file.file).length > ONE_LINE ? 24 : 0);
}

/** The page's own scrolling moves the rows, so that there is one scroll bar only. */
export function useRows(files: readonly FileItem[]) {
  const rows = files.length;
  const list = useRef<HTMLTableSectionElement>(null);
  const [margin, setMargin] = useState(0);
  const [at, setAt] = useState<Cell>({ row: 0, column: 0 });
  const active = { ...at, row: Math.min(at.row, Math.max(rows - 1, 0)) };
  const byKey = useRef(false);
  const virtual = useVirtualizer({
    count: rows,
    getScrollElement: () => document.getElementById("content"),
    estimateSize: (row) => heightOf(files[row]),
    overscan: 12,
    useFlushSync: false, // scrolling stays smooth; rows beyond the edge are drawn already
    scrollMargin: margin,
    scrollPaddingStart: 48, // the headings stay above the rows
    // The row that has the focus stays, however far the list is scrolled.
    rangeExtractor: (range) =>
      [...new Set([active.row, ...defaultRangeExtractor(range)])].sort((a, b) => a - b),
  });

  useLayoutEffect(() => {
    const content = document.getElementById("content");
    const measure = () => {
      if (!list.current || !content) return;
      const top = list.current.getBoundingClientRect().top - content.getBoundingClientRect().top;
      setMargin(Math.round(top + content.scrollTop));
    };
    measure();
    const watch = new ResizeObserver(measure);
    if (content?.firstElementChild) watch.observe(content.firstElementChild);
    for (const part of content?.children ?? []) watch.observe(part);
    return () => watch.disconnect();
  }, []);

  useEffect(() => {
    if (!byKey.current) return;
    byKey.current = false;
    const cell = `[data-row="${active.row}"] [data-column="${active.column}"]`;
    list.current?.querySelector<HTMLElement>(cell)?.focus({ preventScroll: true });
  }, [active.row, active.column]);

  const keys = (event: KeyboardEvent) => {
    const next = event.altKey || event.metaKey ? null : moved(active, event.key, rows);
    if (!next) return;
    event.preventDefault();
    byKey.current = true;
    setAt(next);
    virtual.scrollToIndex(next.row, { align: "auto" });
  };
  const focused = (event: FocusEvent) => {
    const target = event.target as HTMLElement;
    const row = target.closest<HTMLElement>("[data-row]")?.dataset.row;
    const column = target.dataset.column;
    if (row && column) setAt({ row: Number(row), column: Number(column) });
  };
  return { list, virtual, active, keys, focused };
}
