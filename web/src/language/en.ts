import { count, number } from "./choice";

/** What the page says, in English; by the part that says it. */
export const en = {
  app: {
    rows: (n: number) => count(n, "row", "rows"),
  },

  // ask

  ask: {},

  // conversations

  conversations: {},

  // library

  library: {},

  // map

  map: {
    title: "Map of files",
    counts: (files: number, links: number) =>
      `${count(files, "file", "files")}, ${count(links, "link", "links")}`,
    drawn: (files: number, links: number) =>
      `Map of ${count(files, "file", "files")} and ${count(links, "link", "links")}, drawn. The list says the same and works by keyboard.`,
    loading: "Loading",
    comparing: "Comparing your files",
    comparingLong: "Comparing your files. In a large library the first time takes up to a minute.",
    nothingYet: "There is nothing to map yet",
    nothingYetLong:
      "The map shows which of your files are alike, which name the same people, companies or accounts, and which lie together. It appears once Manole has read some files.",
    seeLibrary: "See what is read in the library",
    oneFile: "One file makes no map",
    oneFileLong:
      "The map shows how files relate, and this library has only one that could be read. Add another, and it appears here after the next sync.",
    openNamed: (file: string) => `Open ${file}`,

    find: "Find a file",
    findOnMap: "Find a file on the map",
    found: "Files found",
    noneFound: "No file is called that.",
    map: "Map",
    list: "List",
    filters: "Filters",

    whatIsShown: "What the map shows",
    links: "Links",
    linksUnit: "links",
    relations: {
      similarity: { name: "Alike", says: "say similar things" },
      reference: { name: "Mentions", says: "name the same person, firm or account" },
      structure: { name: "Folders", says: "lie in the same folder" },
    },
    atLeast: "at least",
    alikeAfter: "alike",
    reset: "Reset",

    groups: "Groups",
    groupsOfFiles: "Groups of files",
    noGroups: "No two files hang together at this setting.",
    filesUnit: "files",
    smaller: (n: number) => `and ${count(n, "smaller group", "smaller groups")}, named in the list`,
    ungrouped: (n: number) => `${count(n, "file", "files")} in no group`,
    two: (one: string, other: string) => `${one} and ${other}`,
    andOthers: (folder: string) => `${folder} and others`,
    andMore: (file: string, n: number) => `${file} and ${number(n)} more`,
    inGroup: (name: string) => `in the group ${name}`,
    groupOf: (n: number) => `a group of ${count(n, "file", "files")} that are linked`,
    liesIn: (folders: string) => `By folder: ${folders}`,
    ofFolder: (folder: string, n: number) => `${folder || "the top"} ${number(n)}`,
    andFolders: (n: number) => `and ${count(n, "more", "more")}`,
    noGroup: "In no group",
    files: "Files",
    filesIn: (n: number) => count(n, "file", "files"),
    folders: (n: number) => count(n, "folder", "folders"),
    linksOf: (n: number) => count(n, "link", "links"),

    close: "Close",
    open: "Open",
    findSimilar: "Find similar",
    lookingSimilar: "Looking for similar files",
    mostSimilar: "Most similar",
    noneSimilar: "No file is like this one.",
    alike: (share: string, why: string | undefined) => `${share}: ${why || "similar wording"}`,
    noLinksHere: "Nothing is linked to it at this setting.",
    folder: "Folder",
    inFolder: "In and around this folder",
    showMore: (n: number) => `Show ${number(n)} more`,
    askFile: "Ask about this file",
    askFiles: "Ask about these files",
    askFolder: "Ask about this folder",
    firstAsked: (n: number) => `the ${number(n)} with the most links`,
    bytes: (n: number) => count(n, "byte", "bytes"),

    zoomIn: "Zoom in",
    zoomOut: "Zoom out",
    showAll: "Show all",
    arranging: "Arranging the files",
    grouping: "Grouping the files",
    noLinks: "No links at this setting. Lower the similarity, or switch a relation on.",
    showAllLinks: "Show all links",
    nothingShared:
      "These files have nothing in common: none are alike, name the same, or share a folder.",
    notDrawn: "The map cannot be drawn.",
    needsWebGL:
      "It needs WebGL, which this browser lacks or has switched off. The list says the same.",
    notGrouped: "The files could not be grouped.",
    noLayout: "The layout could not be started.",
    tryAgain: "Try again",
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
