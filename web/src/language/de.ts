import type { Sentences } from ".";
import { count, number } from "./choice";

/** What the page says, in German. */
export const de: Sentences = {
  app: {
    rows: (n: number) => count(n, "Zeile", "Zeilen"),
  },

  // ask

  ask: {},

  // conversations

  conversations: {},

  // library

  library: {},

  // map

  map: {},

  // search

  search: {},

  // source

  source: {
    source: "Quelle",
    content: "Inhalt",
    opening: "Die Datei wird geöffnet",
    width: "Breite der Quelle",
    asPage: "Die Seite anzeigen",
    asText: "Den gelesenen Text anzeigen",
    ask: "Zu dieser Datei fragen",
    openProgram: "Im eigenen Programm öffnen",
    openFolder: "Im Ordner anzeigen",
    save: "Kopie speichern",
    close: "Quelle schließen",
    find: "In dieser Datei suchen",
    hitOf: (hit: number, hits: number) => `${number(hit)} von ${number(hits)}`,
    nothingFound: "nichts gefunden",
    hitBefore: "Voriger Treffer",
    nextHit: "Nächster Treffer",
    pages: "Seiten",
    page: "Seite",
    ofPages: (pages: string) => `von ${pages}`,
    pageNumber: (page: string) => `Seite ${page}`,
    pageOf: (page: number, file: string) => `Seite ${page} von ${file}`,
    pageBefore: "Vorige Seite",
    nextPage: "Nächste Seite",
    thumbnails: "Kleine Bilder der Seiten",
    size: "Größe",
    smaller: "Kleiner",
    larger: "Größer",
    fit: "An die Breite anpassen",
    fitFrom: (percent: number) => `${percent} %, an die Breite anpassen`,
    notDrawn: "Diese Seite lässt sich nicht darstellen.",
    textInstead: "Stattdessen lässt sich oben ihr Text anzeigen.",
    noText: "In dieser Datei steht kein Text.",
    begins: "Die Datei beginnt weiter oben.",
    goesOn: "Die Datei geht weiter.",
    sheets: "Tabellenblätter",
    sheet: (n: number) => `Blatt ${n}`,
    line: (n: number) => `Zeile ${n}`,
    rowsLeftOut: "Nicht alle Zeilen werden angezeigt.",
    changed:
      "Diese Datei hat sich geändert, seit Manole sie gelesen hat. Markiert ist, was gelesen wurde.",
    gone: "Diese Datei ist nicht mehr da. Angezeigt wird, was aus ihr gelesen wurde.",
    notQuoted: (page: boolean) =>
      `Diese Wörter stehen nicht ${page ? "auf dieser Seite" : "darin"}:`,
    quotedOnce: "Daraus wurde zitiert:",
    mail: {
      From: "Von",
      To: "An",
      Cc: "Kopie an",
      Date: "Datum",
      Subject: "Betreff",
      Attachments: "Anhang",
    },
  },

  // ui

  ui: {},

  // welcome

  welcome: {},
};
