// Keys that hold wherever the focus is in the page: "/" and Control K lead into the field and leave
// what is searched for as it is; Escape leads out of where one is.

import { type RefObject, useEffect, useRef } from "react";

const TYPING = "input:not([type=radio], [type=checkbox]), textarea, select";

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
      if (!(at instanceof HTMLElement) || event.defaultPrevented || at.closest("dialog")) return;
      if (leadsIn(event, at)) {
        event.preventDefault();
        field.current?.focus();
        field.current?.select();
      } else if (event.key === "Escape" && !isHeld(event) && !event.shiftKey) {
        if (!at.closest("aside") && latest.current(at)) event.preventDefault();
      }
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, [field]);
}

function leadsIn(event: KeyboardEvent, at: HTMLElement): boolean {
  const command = (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey;
  if (event.key === "k" && command) return true;
  return event.key === "/" && !isHeld(event) && !at.matches(TYPING);
}

function isHeld(event: KeyboardEvent): boolean {
  return event.altKey || event.ctrlKey || event.metaKey;
}
