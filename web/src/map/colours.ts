// Colours of groups, in light and dark: each stands out from the page 3 to 1 and more, and
// neighbours in the row differ in lightness too, for eyes that mix up hues.

import { useSyncExternalStore } from "react";

const GROUPS: readonly (readonly [string, string])[] = [
  ["#1f6cb0", "#6da9e7"],
  ["#b76b1c", "#f2ad73"],
  ["#287c42", "#74b782"],
  ["#c0558d", "#fb9bc9"],
  ["#117878", "#5db5b5"],
  ["#876cca", "#c2b0fd"],
  ["#776a0a", "#b3a657"],
  ["#ce514d", "#fda199"],
  ["#1b7390", "#6eafc9"],
  ["#688e3b", "#a8cb85"],
  ["#924598", "#cd88d0"],
  ["#5e78d9", "#a5bbfd"],
];
const ALONE = ["#817769", "#8d8377"] as const; // of what belongs to no group

export const COLOURS = GROUPS.length;

/** The colour of group `id`; below zero: of no group. */
export function colourOf(id: number, dark: boolean): string {
  const pair = (id < 0 ? null : GROUPS[id % COLOURS]) ?? ALONE;
  return pair[dark ? 1 : 0];
}

function isDark(): boolean {
  return getComputedStyle(document.documentElement).colorScheme === "dark";
}

function whenTurned(tell: () => void): () => void {
  const system = matchMedia("(prefers-color-scheme: dark)");
  const chosen = new MutationObserver(tell);
  system.addEventListener("change", tell);
  chosen.observe(document.documentElement, { attributeFilter: ["data-theme"] });
  return () => {
    system.removeEventListener("change", tell);
    chosen.disconnect();
  };
}

/** Whether the page is dark now. */
export function useDark(): boolean {
  return useSyncExternalStore(whenTurned, isDark);
}
