// Where the view stands: a new question at its top, so that its answer grows below it, in sight.

import { type RefObject, useLayoutEffect } from "react";

/** Brings the last of `count` turns to the top when there is another, or another conversation. */
export function useInSight(
  turns: RefObject<HTMLElement | null>,
  conversation: string | undefined,
  count: number,
): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: another conversation has another end
  useLayoutEffect(() => {
    if (count === 0) return;
    turns.current?.querySelector("article:last-of-type")?.scrollIntoView({ block: "start" });
  }, [turns, count, conversation]);
}
