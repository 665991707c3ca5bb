// Colours of groups, in light and dark: each stands out from the page 3 to 1 and more, and
// neighbours in the row differ in lightness too, for eyes that mix up hues.

import { useMemo, useSyncExternalStore } from "react";
import type { Relation } from "../api/types";

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
  const { colorScheme } = getComputedStyle(document.documentElement); // "light dark": the system's
  const system = matchMedia("(prefers-color-scheme: dark)").matches;
  return colorScheme === "dark" || (colorScheme !== "light" && system);
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

/** The page's colours and type, for what is drawn on a canvas. */
export interface Look {
  dark: boolean;
  ink: string;
  paper: string;
  raised: string;
  folder: string;
  /** Of what is not looked at. */
  pale: string;
  /** Of each relation; and while it is looked at. */
  links: Record<Relation, { size: number; colour: string; lit: string }>;
  font: string;
}

/** How it looks now. */
export function useLook(): Look {
  const dark = useSyncExternalStore(whenTurned, isDark);
  return useMemo(() => lookOf(dark), [dark]);
}

function lookOf(dark: boolean): Look {
  const style = getComputedStyle(document.documentElement);
  const token = (name: string) => {
    const value = style.getPropertyValue(`--${name}`).trim();
    const pair = /^light-dark\((.+), (.+)\)$/.exec(value); // where the build left it as it is
    return pair?.[dark ? 2 : 1] ?? value;
  };
  const [line, strong, accent] = [token("line"), token("line-strong"), token("accent")];
  return {
    dark,
    ink: token("ink"),
    paper: token("paper"),
    raised: token("raised"),
    folder: strong,
    pale: line,
    links: {
      similarity: { size: 1.2, colour: strong, lit: token("ink-soft") },
      reference: { size: 1.8, colour: accent, lit: accent },
      structure: { size: 1.2, colour: line, lit: strong },
    },
    font: token("sans"),
  };
}
