// Keys that hold wherever the focus is in the page: Control K leads into the field, Escape out of it.
// No single letter does anything: who steers by voice would set it off by speaking (WCAG 2.1.4).

import { type RefObject, useEffect, useRef } from "react";

/** `leave` says whether it did something. */
export function useKeys(
  field: RefObject<HTMLInputElement | null>,
  leave: (at: Element) => boolean,
): void {
  const latest = useRef(leave);
  latest.current = leave;
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const at = event.target;
      if (!(at instanceof HTMLElement) || event.defaultPrevented) return;
      if (event.altKey || event.shiftKey || at.closest("aside")) return;
      const held = event.ctrlKey || event.metaKey;
      if (event.key === "Escape" && !held && latest.current(at)) event.preventDefault();
      if (event.key !== "k" || !held) return;
      event.preventDefault();
      field.current?.focus();
      field.current?.select();
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, [field]);
}
