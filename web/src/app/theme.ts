// Light, dark, or as the system has it; kept in this browser.

export type Theme = "system" | "light" | "dark";

const KEY = "manole.theme";

export function theme(): Theme {
  const kept = localStorage.getItem(KEY);
  return kept === "light" || kept === "dark" ? kept : "system";
}

export function setTheme(wanted: Theme): void {
  if (wanted === "system") localStorage.removeItem(KEY);
  else localStorage.setItem(KEY, wanted);
  startTheme();
}

export function startTheme(): void {
  const wanted = theme();
  if (wanted === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = wanted;
}
