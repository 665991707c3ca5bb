import type { Sentences } from ".";
import { count, number } from "./choice";

/** What the page says, in German. */
export const de: Sentences = {
  app: {
    allLibraries: "Alle Bibliotheken",
    ask: "Fragen",
    search: "Suchen",
    library: "Bibliothek",
    conversations: "Gespräche",
    shortConversations: "Gespräche",
    map: "Karte",
    answering: (part: string) => `${part}, eine Antwort entsteht`,
    toBeginning: "Manole, zum Anfang",
    parts: "Bereiche",
    skip: "Zum Inhalt",
    welcome: "Willkommen",
    awayTitle: "Manole antwortet nicht.",
    away: "Die Seite läuft von selbst weiter, sobald es wieder läuft:",
    noLibraryTitle: "Noch ist kein Ordner gelesen",
    noLibrary: { choose: "Einen wählen", rest: ", dann geht es hier um seine Dateien." },
    broken: "Dieser Bereich der Seite ist abgestürzt.",
    loadAgain: "Neu laden",
    colours: { system: "wie das System", light: "hell", dark: "dunkel" },
    changeColours: (now: string, next: string) => `Farben: ${now}. Wechseln zu ${next}`,
    language: "Sprache",
    asBrowser: "Wie der Browser",
    token: {
      label: "Das Zugangswort dieses Servers",
      wrong: "Das ist nicht das Zugangswort dieses Servers.",
      enter: "Weiter",
    },
    keys: {
      title: "Tasten",
      search: "Suchen",
      fresh: "Neues Gespräch",
      ask: "Fragen; mit Umschalt eine neue Zeile",
      stop: "Die Antwort anhalten oder die Quelle schließen",
      list: "Diese Liste",
      close: "Schließen",
    },
    stages: {
      scan: "Dateien werden gesucht",
      read: "Dateien werden gelesen",
      embed: "Textstellen werden erfasst",
      lines: "Seiten werden erfasst",
      pages: "Seiten werden erfasst",
      recognize: "Bilder werden gelesen",
      caption: "Fotos werden beschrieben",
      finish: "Es wird aufgeräumt",
    } as Record<string, string>,
    beginning: "Es beginnt",
  },

  // ask

  ask: {
    heading: "Die eigenen Dateien fragen",
    question: "Die Frage",
    placeholder: "Die eigenen Dateien fragen",
    ask: "Fragen",
    stop: "Anhalten",
    comesNext: "Wird gefragt, sobald diese Antwort geschrieben ist.",
    tooLong: (most: number) => `Eine Frage hat höchstens ${number(most)} Zeichen.`,
    thorough: "Jedes Schriftstück lesen",
    thoroughWhy: "Langsamer: das Modell liest, was Regeln nicht lesen können",
    fresh: { short: "Neu", rest: "es Gespräch" },
    loading: "Das Gespräch wird geladen",
    ready: "Die Antwort ist fertig.",
    beginning: {
      title: "Was möchten Sie wissen?",
      read: (files: number) => `Manole hat ${count(files, "Datei", "Dateien")} gelesen aus`,
      rest: ", auf diesem Rechner. Jede Antwort öffnet die Seite, von der sie kommt.",
      stillReading: (far: string) =>
        `Manole liest noch${far && `: ${far}`}. Was noch nicht gelesen ist, wird nicht gefunden.`,
      kinds: {
        pdf: ["PDF", "PDFs"],
        picture: ["Bild", "Bilder"],
        spreadsheet: ["Tabelle", "Tabellen"],
        presentation: ["Präsentation", "Präsentationen"],
        document: ["Dokument", "Dokumente"],
        mail: ["E-Mail", "E-Mails"],
        "web page": ["Webseite", "Webseiten"],
        text: ["Textdatei", "Textdateien"],
        markdown: ["Markdown-Datei", "Markdown-Dateien"],
        video: ["Video", "Videos"],
        audio: ["Tonaufnahme", "Tonaufnahmen"],
        archive: ["Archiv", "Archive"],
        calendar: ["Kalender", "Kalender"],
        contacts: ["Adressbuch", "Adressbücher"],
        "e-book": ["E-Book", "E-Books"],
        code: ["Quelltext", "Quelltexte"],
        other: ["andere Datei", "andere Dateien"],
      } as Record<string, [string, string]>,
      year: (year: number) => `von ${year}`,
      years: (first: number, last: number) => `von ${first} bis ${last}`,
    },
    scope: {
      only: "Nur",
      choose: "Wählen, was gefragt wird",
      allOf: (library: string) => `Alles in ${library}`,
      add: "Mehr",
      place: "Ordner oder Datei, um die es geht",
      placeholder: "Ordner oder Datei",
      from: "Von",
      to: "bis",
      since: (day: string) => `seit ${day}`,
      until: (day: string) => `bis ${day}`,
      period: (from: string, to: string) => `${from} – ${to}`,
      remove: (what: string) => `Nicht auf ${what} beschränken`,
    },
    steps: {
      looking: "Wird nachgesehen",
      writing: "Die Antwort wird geschrieben",
      reading: "Wird gelesen",
      count: (n: number) => count(n, "Schritt", "Schritte"),
      tools: {
        semantic_search: "Gesucht",
        query: "Nachgeschlagen",
        query_table: "Gerechnet",
        read_document: "Gelesen",
        summarize: "Zusammengefasst",
        visual_search: "Seiten gesucht",
        visual_interpretation: "Seiten angesehen",
        grep_files: "Wörter gesucht",
        list_files: "Dateien aufgezählt",
      } as Record<string, string>,
    },
    away: "Warten, bis Manole wieder da ist",
    lookingForAnswer: "Eine Antwort wird gesucht",
    whichOne: "Welche ist gemeint?",
    readAs: "Verstanden als:",
    readAgain: "Anders sagen",
    stopped: "Diese Antwort wurde angehalten.",
    again: "Noch einmal fragen",
    brokenTitle: "Diese Antwort wurde abgebrochen.",
    broken: "Die Frage ist erhalten und kann wieder gestellt werden, sobald Manole läuft.",
    nearest: "Nicht ausdrücklich gesagt; das Nächstliegende ist zitiert",
    missing: "In den Dateien nicht gefunden",
    low: "Unsicher: bitte an den Quellen prüfen",
    compared: "Im Vergleich",
    table: "Tabelle",
    found: "Was gefunden wurde",
    together: "Zusammen",
    rows: (n: number) => count(n, "Zeile", "Zeilen"),
    saveCsv: "Als CSV speichern",
    evidence: "Belege",
    filesSay: "Was die Dateien sagen",
    ordering:
      "Manches davon ist vielleicht als Anweisung an den gemeint, der antwortet. Es ist Text wie jeder andere.",
    less: "Weniger",
    wholePassage: "Die ganze Stelle",
    sources: "Quellen",
    readForThis: "Dafür gelesen",
    more: (n: number) => `${number(n)} weitere`,
    source: (n: number, where: string) => `Quelle ${n}: ${where}`,
    page: (n: number) => `Seite ${n}`,
    line: (n: number) => `Zeile ${n}`,
    ofQuestion: (name: string, place: number) => `${name} zu Frage ${place}`,
    actions: {
      legend: "Was mit dieser Antwort geschehen soll",
      copied: "Kopiert",
      copy: "Die Antwort mit ihren Quellen kopieren",
      exported: "Das Gespräch als Markdown speichern",
      edit: "Die Frage ändern",
      good: "Gute Antwort",
      bad: "Schlechte Antwort",
    },
    confidence: { high: "sicher", medium: "recht sicher", low: "unsicher" },
    tokens: (read: number, written: number) =>
      `${number(read)} Token gelesen, ${number(written)} geschrieben`,
    noModel: "ohne Modell",
    columns: {
      file: "Datei",
      date: "Datum",
      due: "fällig",
      number: "Nummer",
      issuer: "Aussteller",
      recipient: "Empfänger",
      net: "netto",
      tax: "Steuer",
      total: "gesamt",
      currency: "Währung",
      kind: "Art",
      name: "Name",
      folder: "Ordner",
      size: "Größe",
      modified: "geändert",
      pages: "Seiten",
      title: "Titel",
      page: "Seite",
    },
  },

  // conversations

  conversations: {},

  // library

  library: {},

  // map

  map: {},

  // search

  search: {},

  // source

  source: {},

  // ui

  ui: {},

  // welcome

  welcome: {},
};
