// Light, dark, or as the system has it; kept in this browser.

import { keep, kept } from "../ui/kept";

export type Theme = "system" | "light" | "dark";

const KEY = "manole.theme";

export function theme(): Theme {
  const wanted = kept(KEY);
  return wanted === "light" || wanted === "dark" ? wanted : "system";
}

export function setTheme(wanted: Theme): void {
  keep(KEY, wanted === "system" ? null : wanted);
  startTheme();
}

export function startTheme(): void {
  const wanted = theme();
  if (wanted === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = wanted;
}
