// Light, dark, or as the system has it; kept in this browser.

import { useSyncExternalStore } from "react";
import { keep, kept } from "../ui/kept";

export type Theme = "system" | "light" | "dark";

const KEY = "manole.theme";
const listeners = new Set<() => void>();

export function theme(): Theme {
  const wanted = kept(KEY);
  return wanted === "light" || wanted === "dark" ? wanted : "system";
}

export function setTheme(wanted: Theme): void {
  keep(KEY, wanted === "system" ? null : wanted);
  startTheme();
  for (const tell of listeners) tell();
}

export function useTheme(): Theme {
  return useSyncExternalStore(subscribe, theme);
}

function subscribe(tell: () => void): () => void {
  listeners.add(tell);
  return () => listeners.delete(tell);
}

export function startTheme(): void {
  const wanted = theme();
  if (wanted === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = wanted;
}
