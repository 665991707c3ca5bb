import type { Sentences } from "..";
import { count, number } from "../choice";

// search
export const search: Sentences["search"] = {
  title: "Suche",
  opening: "Die Bibliothek wird geöffnet",
  views: { label: "Suchen nach", words: "Wörter", timeline: "Zeitleiste" },
  files: (n: number) => count(n, "Datei", "Dateien"),
  field: {
    label: "Gesuchte Wörter",
    placeholder: "In den eigenen Dateien suchen",
    clear: "Leeren",
    key: "Strg K",
  },
  kinds: {
    all: "Alle",
    word: "Dokumente",
    pdf: "PDFs",
    images: "Bilder",
    spreadsheets: "Tabellen",
    slides: "Folien",
    email: "E-Mails",
    markdown: "Notizen",
    textfiles: "Text",
  },
  filters: {
    unfold: (n: number) => (n > 0 ? `Filter (${n})` : "Filter"),
    kind: "Art der Datei",
    folder: "Ordner",
    anyFolder: "Alle Ordner",
    folders: "Auswahl",
    noFolder: "Kein Ordner heißt so.",
    from: "Von",
    to: "Bis",
    wrongWay: "Der erste Tag liegt nach dem letzten.",
    order: "Reihenfolge",
    best: "Beste zuerst",
    newest: "Neueste zuerst",
  },
  inForce: {
    folder: (folder: string) => `in ${folder}`,
    since: (day: string) => `ab ${day}`,
    until: (day: string) => `bis ${day}`,
  },
  beginning: {
    none: "Noch nichts zu durchsuchen",
    noText: "Der Index dieser Bibliothek enthält keinen Text. Wie weit er ist, zeigt die ",
    library: "Bibliothek",
    advice: (files: number) =>
      `Wörter oder einen ganzen Satz eingeben. Manole sucht schon beim Tippen nach den Wörtern und nach ihrer Bedeutung, in ${count(files, "Datei", "Dateien")}.`,
    enter: "Enter",
    escape: "Esc",
    toField: "zu diesem Feld",
    through: "durch die Ergebnisse",
    opens: "öffnet die Stelle",
    closes: "schließt sie",
  },
  nothing: {
    title: "Nichts gefunden",
    without: "Vielleicht ohne einen Filter:",
    remove: (filter: string) => `„${filter}“ entfernen`,
    removeAll: "Alle entfernen",
    fewer: "Weniger Wörter finden mehr: nur die seltensten behalten.",
    steps: "Oder Manole schrittweise suchen lassen: ",
    ask: "stattdessen fragen",
  },
  results: {
    title: "Ergebnisse",
    waiting: "Suche läuft",
    more: "Mehr zeigen",
    found: (passages: number, files: number) =>
      `${count(passages, "Stelle", "Stellen")} in ${count(files, "Datei", "Dateien")}`,
    best: (passages: number, files: number) =>
      `${passages === 1 ? "Die beste Stelle" : `Die ${number(passages)} besten Stellen`}, in ${count(files, "Datei", "Dateien")}`,
    putRight: (query: string) =>
      `So geschrieben steht es in keiner Datei. Gesucht wurde „${query}“.`,
    wordsOnly: (passages: number) =>
      `Nur über ihre Wörter zu finden, bis sie nach Sinn gelesen sind: ${count(passages, "Stelle", "Stellen")}.`,
    nearest: (files: number) =>
      `Keine Datei enthält diese Wörter. Am nächsten in der Bedeutung, in ${count(files, "Datei", "Dateien")}`,
    milliseconds: (n: number) => `${number(n)} ms`,
    seconds: (n: number) => `${number(n)} s`,
    top: "Oberster Ordner",
    changed: (day: string) => `geändert am ${day}`,
    page: (n: number) => `Seite ${number(n)}`,
    line: (n: number) => `Zeile ${number(n)}`,
    inFile: (n: number) => `${number(n)} weitere in dieser Datei`,
    also: (files: string, more: number) =>
      `Auch in ${files}${more > 0 ? ` und ${count(more, "weiteren Datei", "weiteren Dateien")}` : ""}`,
    mark: (title: string) => `${title} markieren`,
  },
  ask: {
    one: "Dazu fragen",
    about: (title: string) => `Dazu fragen: ${title}`,
    files: (n: number) =>
      n === 1 ? "Zu dieser Datei fragen" : `Zu diesen ${number(n)} Dateien fragen`,
    folder: "Zu diesem Ordner fragen",
    period: "Zu diesem Zeitraum fragen",
    both: "Zu diesem Ordner und Zeitraum fragen",
  },
  timeline: {
    waiting: "Die Daten werden gelesen",
    allDates: "Alle Tage",
    days: "Tage",
    years: "Jahre und Monate",
    goTo: "Gehe zu",
    newest: (shown: number) => `Die neuesten ${number(shown)} von `,
    dated: (files: number) => `${count(files, "Datei", "Dateien")} mit Datum`,
    undated: (files: number) => `; ${number(files)} ohne`,
    nothing: "Nichts zwischen diesen Tagen",
    others: "Einen anderen Zeitraum wählen, oder alle Tage.",
    none: "Noch hat keine Datei ein Datum",
    where:
      "Das Datum ist das, was eine Datei von sich selbst sagt: das einer Rechnung, einer E-Mail, eines Fotos.",
    silent: (files: number) => `${count(files, "Datei nennt", "Dateien nennen")} keines.`,
    library: "Zur Bibliothek",
  },
};
