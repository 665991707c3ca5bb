import type { Sentences } from "..";
import { count, number } from "../choice";

// conversations
export const conversations: Sentences["conversations"] = {
  title: "Gespräche",
  reading: "Die Gespräche werden gelesen",
  answering: "wird beantwortet",
  none: "Noch keine Gespräche",
  noneWhy: "Fragen und Antworten werden hier aufbewahrt: nur auf diesem Rechner.",
  ask: "Etwas fragen",
  search: "In Gesprächen suchen",
  words: "Wörter aus Frage oder Antwort",
  clear: "Leeren",
  noneFound: "Kein Gespräch enthält diese Wörter",
  noneFoundWhy:
    "Durchsucht werden Fragen, Antworten und Titel. Vielleicht hilft ein einzelnes Wort.",
  found: (n: number, more: boolean) => `${number(n)}${more ? " oder mehr" : ""} gefunden`,
  older: "Ältere zeigen",
  readingOn: "Wird weitergelesen …",
  today: "Heute",
  yesterday: "Gestern",
  lastDays: "Die letzten sieben Tage",
  turns: (n: number) => count(n, "Frage", "Fragen"),
  rename: (title: string) => `„${title}“ umbenennen`,
  remove: (title: string) => `„${title}“ löschen`,
  removed: (title: string) => `„${title}“ ist gelöscht.`,
  keep: (title: string) => `„${title}“ behalten`,
  undo: "Rückgängig",
  export: (title: string) => `„${title}“ exportieren`,
  toRead: "zum Lesen",
  forPrograms: "für Programme",
  titleNeeds: "Ein Titel braucht einen Buchstaben oder eine Ziffer.",
};
