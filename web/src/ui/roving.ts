// A list with one tab stop: the arrow keys move within it (ARIA practices, "roving tabindex").

import { type FocusEvent, type KeyboardEvent, type RefObject, useRef, useState } from "react";

/** Which of `count` items `key` leads to from `at`; null: the key moves nothing. */
export function moved(key: string, at: number, count: number): number | null {
  if (count === 0) return null;
  if (key === "ArrowDown") return Math.min(at + 1, count - 1);
  if (key === "ArrowUp") return Math.max(at - 1, 0);
  if (key === "Home") return 0;
  if (key === "End") return count - 1;
  return null;
}

/**
 * For a list whose items carry `data-item`, a name of their own. `before` takes the focus when
 * the arrow goes up from the first.
 */
export function useRoving<T extends HTMLElement>(before?: () => void) {
  const list = useRef<T>(null);
  const [active, setActive] = useState<string | null>(null);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const items = itemsOf(list);
    const at = items.indexOf(event.target as HTMLElement);
    if (at < 0) return;
    const next = moved(event.key, at, items.length);
    if (next === null) return;
    event.preventDefault();
    if (next === at && event.key === "ArrowUp") before?.();
    else items[next]?.focus();
  };
  const onFocus = (event: FocusEvent) => {
    const name = (event.target as HTMLElement).dataset.item;
    if (name !== undefined) setActive(name);
  };
  return {
    list,
    active,
    handlers: { onKeyDown, onFocus },
    focusFirst: () => itemsOf(list)[0]?.focus(),
  };
}

export function itemsOf(list: RefObject<HTMLElement | null>): HTMLElement[] {
  return [...(list.current?.querySelectorAll<HTMLElement>("[data-item]") ?? [])];
}
