import { type RefObject, useEffect, useRef } from "react";
import { useSource } from "../source/place";
import { itemsOf } from "../ui/roving";
import { isOf } from "./FileResult";

/**
 * The focus after a source is closed that nothing here opened, as from a link: it goes to the
 * file's first passage, else to the field.
 */
export function useReturn(
  list: RefObject<HTMLElement | null>,
  field: RefObject<HTMLInputElement | null>,
): void {
  const file = useSource().place?.file ?? null;
  const before = useRef(file);
  useEffect(() => {
    const closed = file === null ? before.current : null;
    before.current = file;
    if (closed === null || document.activeElement !== document.body) return;
    const own = itemsOf(list).find((item) => isOf(item.dataset.item ?? null, closed));
    (own ?? field.current)?.focus({ preventScroll: true });
  }, [file, list, field]);
}
