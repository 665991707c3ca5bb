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

  search: {
    title: "Search",
    opening: "Opening the library",
    views: { label: "Find by", words: "Words", timeline: "Timeline" },
    files: (n: number) => count(n, "file", "files"),
    field: {
      label: "Words to search for",
      placeholder: "Search in your files",
      clear: "Clear",
      key: "Ctrl K",
    },
    kinds: {
      all: "All",
      word: "Documents",
      pdf: "PDFs",
      images: "Images",
      spreadsheets: "Spreadsheets",
      slides: "Slides",
      email: "Mail",
      markdown: "Notes",
      textfiles: "Text",
    },
    filters: {
      unfold: (n: number) => (n > 0 ? `Filters (${n})` : "Filters"),
      kind: "Kind of file",
      folder: "Folder",
      anyFolder: "All folders",
      folders: "Choices",
      noFolder: "No folder is called so.",
      from: "From",
      to: "To",
      wrongWay: "The first day is after the last one.",
      order: "Order",
      best: "Best first",
      newest: "Newest first",
    },
    inForce: {
      folder: (folder: string) => `in ${folder}`,
      since: (day: string) => `from ${day}`,
      until: (day: string) => `to ${day}`,
    },
    beginning: {
      none: "Nothing to search in yet",
      noText: "This library has no text in its index. See how far it is in the ",
      library: "library",
      advice: (files: number) =>
        `Type words or a whole sentence. Manole looks for the words and for what they mean, in ${count(files, "file", "files")}, while you type.`,
      enter: "Enter",
      escape: "Esc",
      toField: "to this field",
      through: "through the results",
      opens: "opens the place",
      closes: "closes it",
    },
    nothing: {
      title: "Nothing found",
      without: "Perhaps without a filter:",
      remove: (filter: string) => `Remove “${filter}”`,
      removeAll: "Remove all",
      fewer: "Fewer words find more: leave out all but the rarest.",
      steps: "Or let Manole search in steps: ",
      ask: "ask instead",
    },
    results: {
      title: "Results",
      waiting: "Searching",
      more: "Show more",
      found: (passages: number, files: number) =>
        `${count(passages, "passage", "passages")} in ${count(files, "file", "files")}`,
      best: (passages: number, files: number) =>
        `The ${count(passages, "best passage", "best passages")}, in ${count(files, "file", "files")}`,
      nearest: (files: number) =>
        `No file has these words. The nearest in meaning, in ${count(files, "file", "files")}`,
      milliseconds: (n: number) => `${number(n)} ms`,
      seconds: (n: number) => `${number(n)} s`,
      top: "Top folder",
      changed: (day: string) => `changed ${day}`,
      page: (n: number) => `Page ${number(n)}`,
      line: (n: number) => `Line ${number(n)}`,
      inFile: (n: number) => `${number(n)} more in this file`,
      also: (files: string, more: number) =>
        `Also in ${files}${more > 0 ? ` and ${count(more, "more file", "more files")}` : ""}`,
      mark: (title: string) => `Mark ${title}`,
    },
    ask: {
      one: "Ask about this file",
      about: (title: string) => `Ask about this file: ${title}`,
      files: (n: number) =>
        n === 1 ? "Ask about this file" : `Ask about these ${number(n)} files`,
      folder: "Ask about this folder",
      period: "Ask about this period",
      both: "Ask about this folder and period",
    },
    timeline: {
      waiting: "Looking at the dates",
      allDates: "All dates",
      days: "Days",
      years: "Years and months",
      goTo: "Go to",
      newest: (shown: number) => `The newest ${number(shown)} of `,
      dated: (files: number) => `${count(files, "file", "files")} with a date`,
      undated: (files: number) => `; ${number(files)} without one`,
      nothing: "Nothing between these dates",
      others: "Choose other dates, or all of them.",
      none: "No file has a date yet",
      where: "A date is taken from what a file says of itself: an invoice's, a mail's, a photo's.",
      silent: (files: number) =>
        `${count(files, "file", "files")} ${files === 1 ? "says" : "say"} none.`,
      library: "See the library",
    },
  },

  // source

  source: {},

  // ui

  ui: {
    again: "Try again",
    wrong: "Something went wrong.",
    broken: "This part of the page broke.",
    close: "Close",
    percent: (n: number) => `${n} %`,
    savedAs: "answer.md",
    offline: "Manole does not answer.",
    offlineHint: "Is `manole serve` still running?",
    serverSaid: (status: number) => `The server said ${status}.`,
  },

  // welcome

  welcome: {},
};
