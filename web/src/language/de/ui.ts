import type { Sentences } from "..";

// ui
export const ui: Sentences["ui"] = {
  again: "Erneut versuchen",
  wrong: "Etwas ist schiefgegangen.",
  broken: "Dieser Teil der Seite ist ausgefallen.",
  close: "Schließen",
  percent: (n: number) => `${n} %`,
  savedAs: "antwort.md",
  offline: "Manole antwortet nicht.",
  offlineHint: "Läuft `manole serve` noch?",
  serverSaid: (status: number) => `Der Server meldet ${status}.`,
};
