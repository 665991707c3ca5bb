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

  map: {},

  // search

  search: {},

  // source

  source: {
    source: "Source",
    content: "Content",
    opening: "Opening the file",
    width: "Width of the source",
    asPage: "Show the page",
    asText: "Show the text that Manole reads",
    ask: "Ask about this file",
    openProgram: "Open in its program",
    openFolder: "Show in its folder",
    save: "Save a copy",
    close: "Close the source",
    find: "Find in this file",
    hitOf: (hit: number, hits: number) => `${number(hit)} of ${number(hits)}`,
    nothingFound: "nothing found",
    hitBefore: "Hit before",
    nextHit: "Next hit",
    pages: "Pages",
    page: "Page",
    ofPages: (pages: string) => `of ${pages}`,
    pageNumber: (page: string) => `Page ${page}`,
    pageOf: (page: number, file: string) => `Page ${page} of ${file}`,
    pageBefore: "Page before",
    nextPage: "Next page",
    thumbnails: "Small pictures of the pages",
    size: "Size",
    smaller: "Smaller",
    larger: "Larger",
    fit: "Fit the width",
    fitFrom: (percent: number) => `${percent} %, fit the width`,
    notDrawn: "This page cannot be drawn.",
    textInstead: "Its text can be shown instead, by the button above.",
    noText: "There is no text in this file.",
    begins: "The file begins earlier.",
    goesOn: "The file goes on.",
    sheets: "Sheets",
    sheet: (n: number) => `Sheet ${n}`,
    line: (n: number) => `Line ${n}`,
    rowsLeftOut: "Not all rows are shown.",
    changed: "This file has changed since Manole read it. What was read is marked in its text.",
    gone: "This file is no longer there. What was read of it is still shown.",
    notQuoted: (page: boolean) => `These words do not stand ${page ? "on this page" : "in it"}:`,
    quotedOnce: "What was quoted from it:",
    mail: {
      From: "From",
      To: "To",
      Cc: "Copy to",
      Date: "Date",
      Subject: "Subject",
      Attachments: "Attached",
    },
  },

  // ui

  ui: {},

  // welcome

  welcome: {},
};
