import { count, number } from "../choice";

// map
export const map = {
  title: "Map of files",
  counts: (files: number, links: number) =>
    `${count(files, "file", "files")}, ${count(links, "link", "links")}`,
  drawn: (files: number) =>
    `Map of ${count(files, "file", "files")}, drawn. The groups beside it say the same in words.`,
  loading: "Loading",
  comparing: "Comparing your files",
  comparingLong: "Comparing your files. In a large library the first time takes up to a minute.",
  nothingYet: "There is nothing to map yet",
  nothingYetLong:
    "The map shows which of your files are alike, which name the same people, companies or accounts, and which lie together. It appears once Manole has read two files or more.",
  seeLibrary: "See what is read in the library",
  find: "Find a file",
  findOnMap: "Find a file on the map",
  found: (n: number) => (n ? `${count(n, "file", "files")} found` : "No file is called that."),
  whatIsShown: "What the map shows",
  relations: {
    similarity: { name: "Alike", says: "say similar things" },
    reference: { name: "Mentions", says: "name the same person, firm or account" },
    structure: { name: "Folders", says: "lie in the same folder" },
  },
  atLeast: "at least",
  alikeAfter: "alike",
  groupsOfFiles: "Groups of files",
  andMore: (file: string, n: number) => `${file} and ${number(n)} more`,
  noGroup: "In no group",
  filesIn: (n: number) => count(n, "file", "files"),
  linksOf: (n: number) => count(n, "link", "links"),
  close: "Close",
  open: "Open",
  alike: (share: string, why: string | undefined) => `${share}: ${why || "similar wording"}`,
  noLinksHere: "Nothing is linked to it at this setting.",
  showMore: (n: number) => `Show ${number(n)} more`,
  askFile: "Ask about this file",
  askFiles: "Ask about these files",
  askFolder: "Ask about this folder",
  firstAsked: (n: number) => `the ${number(n)} with the most links`,
  mostLinked: (n: number) => `Drawn are the ${number(n)} files with the most links.`,
  zoomIn: "Zoom in",
  zoomOut: "Zoom out",
  showAll: "Show all",
};
