import type { Sentences } from "..";
import { count, number } from "../choice";

// map
export const map: Sentences["map"] = {
  title: "Karte der Dateien",
  counts: (files, links) =>
    `${count(files, "Datei", "Dateien")}, ${count(links, "Verbindung", "Verbindungen")}`,
  drawn: (files) =>
    `Gezeichnete Karte: ${count(files, "Datei", "Dateien")}. Die Gruppen daneben sagen dasselbe in Worten.`,
  loading: "Lädt",
  comparing: "Dateien werden verglichen",
  comparingLong:
    "Die Dateien werden verglichen. In einer großen Bibliothek dauert das beim ersten Mal bis zu einer Minute.",
  nothingYet: "Noch gibt es nichts zu zeigen",
  nothingYetLong:
    "Die Karte zeigt, welche Dateien sich ähneln, welche dieselben Personen, Firmen oder Konten nennen und welche beieinanderliegen. Sie erscheint, sobald Manole zwei Dateien oder mehr gelesen hat.",
  seeLibrary: "In der Bibliothek nachsehen, was gelesen ist",
  find: "Datei suchen",
  findOnMap: "Eine Datei auf der Karte suchen",
  found: (n) => (n ? `${count(n, "Datei", "Dateien")} gefunden` : "So heißt keine Datei."),
  whatIsShown: "Was die Karte zeigt",
  relations: {
    similarity: { name: "Ähnlich", says: "sagen Ähnliches" },
    reference: { name: "Nennungen", says: "nennen dieselbe Person, Firma oder dasselbe Konto" },
    structure: { name: "Ordner", says: "liegen im selben Ordner" },
  },
  atLeast: "mindestens",
  alikeAfter: "ähnlich",
  groupsOfFiles: "Gruppen von Dateien",
  andMore: (file, n) => `${file} und ${number(n)} weitere`,
  noGroup: "In keiner Gruppe",
  filesIn: (n) => count(n, "Datei", "Dateien"),
  linksOf: (n) => count(n, "Verbindung", "Verbindungen"),
  close: "Schließen",
  open: "Öffnen",
  alike: (share, why) => `${share}: ${why || "ähnliche Wortwahl"}`,
  noLinksHere: "Bei dieser Einstellung ist nichts damit verbunden.",
  showMore: (n) => `${number(n)} weitere zeigen`,
  askFile: "Zu dieser Datei fragen",
  askFiles: "Zu diesen Dateien fragen",
  askFolder: "Zu diesem Ordner fragen",
  firstAsked: (n) => `die ${number(n)} mit den meisten Verbindungen`,
  mostLinked: (n) => `Gezeichnet sind die ${number(n)} Dateien mit den meisten Verbindungen.`,
  zoomIn: "Vergrößern",
  zoomOut: "Verkleinern",
  showAll: "Alles zeigen",
};
