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

  map: {
    title: "Karte der Dateien",
    counts: (files, links) =>
      `${count(files, "Datei", "Dateien")}, ${count(links, "Verbindung", "Verbindungen")}`,
    drawn: (files, links) =>
      `Gezeichnete Karte: ${count(files, "Datei", "Dateien")} und ${count(links, "Verbindung", "Verbindungen")}. Die Liste sagt dasselbe und ist mit der Tastatur bedienbar.`,
    loading: "Lädt",
    comparing: "Dateien werden verglichen",
    comparingLong:
      "Die Dateien werden verglichen. In einer großen Bibliothek dauert das beim ersten Mal bis zu einer Minute.",
    nothingYet: "Noch gibt es nichts zu zeigen",
    nothingYetLong:
      "Die Karte zeigt, welche Dateien sich ähneln, welche dieselben Personen, Firmen oder Konten nennen und welche beieinanderliegen. Sie erscheint, sobald Manole einige Dateien gelesen hat.",
    seeLibrary: "In der Bibliothek nachsehen, was gelesen ist",
    oneFile: "Eine Datei ergibt noch keine Karte",
    oneFileLong:
      "Die Karte zeigt, wie Dateien zusammenhängen, und in dieser Bibliothek war nur eine lesbar. Eine weitere erscheint hier nach dem nächsten Abgleich.",
    openNamed: (file) => `${file} öffnen`,

    find: "Datei suchen",
    findOnMap: "Eine Datei auf der Karte suchen",
    found: "Gefundene Dateien",
    noneFound: "So heißt keine Datei.",
    map: "Karte",
    list: "Liste",
    filters: "Filter",

    whatIsShown: "Was die Karte zeigt",
    links: "Verbindungen",
    linksUnit: "Verbindungen",
    relations: {
      similarity: { name: "Ähnlich", says: "sagen Ähnliches" },
      reference: { name: "Nennungen", says: "nennen dieselbe Person, Firma oder dasselbe Konto" },
      structure: { name: "Ordner", says: "liegen im selben Ordner" },
    },
    atLeast: "mindestens",
    alikeAfter: "ähnlich",
    reset: "Zurücksetzen",

    groups: "Gruppen",
    groupsOfFiles: "Gruppen von Dateien",
    noGroups: "Bei dieser Einstellung hängen keine zwei Dateien zusammen.",
    filesUnit: "Dateien",
    smaller: (n) => `und ${count(n, "kleinere Gruppe", "kleinere Gruppen")}, in der Liste genannt`,
    ungrouped: (n) => `${count(n, "Datei", "Dateien")} in keiner Gruppe`,
    two: (one, other) => `${one} und ${other}`,
    andOthers: (folder) => `${folder} und anderes`,
    andMore: (file, n) => `${file} und ${number(n)} weitere`,
    inGroup: (name) => `in der Gruppe ${name}`,
    groupOf: (n) => `eine Gruppe von ${number(n)} verbundenen Dateien`,
    liesIn: (folders) => `Nach Ordnern: ${folders}`,
    ofFolder: (folder, n) => `${folder || "oberste Ebene"} ${number(n)}`,
    andFolders: (n) => `und ${number(n)} weitere`,
    noGroup: "In keiner Gruppe",
    files: "Dateien",
    filesIn: (n) => count(n, "Datei", "Dateien"),
    folders: (n) => count(n, "Ordner", "Ordner"),
    linksOf: (n) => count(n, "Verbindung", "Verbindungen"),

    close: "Schließen",
    open: "Öffnen",
    findSimilar: "Ähnliche suchen",
    lookingSimilar: "Ähnliche Dateien werden gesucht",
    mostSimilar: "Am ähnlichsten",
    noneSimilar: "Keine Datei ist dieser ähnlich.",
    alike: (share, why) => `${share}: ${why || "ähnliche Wortwahl"}`,
    noLinksHere: "Bei dieser Einstellung ist nichts damit verbunden.",
    folder: "Ordner",
    inFolder: "In diesem Ordner und um ihn",
    showMore: (n) => `${number(n)} weitere zeigen`,
    askFile: "Zu dieser Datei fragen",
    askFiles: "Zu diesen Dateien fragen",
    askFolder: "Zu diesem Ordner fragen",
    firstAsked: (n) => `die ${number(n)} mit den meisten Verbindungen`,
    bytes: (n) => count(n, "Byte", "Bytes"),

    zoomIn: "Vergrößern",
    zoomOut: "Verkleinern",
    showAll: "Alles zeigen",
    arranging: "Dateien werden angeordnet",
    grouping: "Dateien werden gruppiert",
    noLinks:
      "Keine Verbindungen bei dieser Einstellung. Die Ähnlichkeit senken oder eine Art von Verbindung einschalten.",
    showAllLinks: "Alle Verbindungen zeigen",
    nothingShared:
      "Diese Dateien haben nichts gemeinsam: keine ähneln sich, nennen dasselbe oder teilen einen Ordner.",
    notDrawn: "Die Karte kann nicht gezeichnet werden.",
    needsWebGL:
      "Sie braucht WebGL, das diesem Browser fehlt oder ausgeschaltet ist. Die Liste sagt dasselbe.",
    notGrouped: "Die Dateien konnten nicht gruppiert werden.",
    noLayout: "Das Anordnen konnte nicht beginnen.",
    tryAgain: "Erneut versuchen",
  },

  // search

  search: {},

  // source

  source: {},

  // ui

  ui: {},

  // welcome

  welcome: {},
};
