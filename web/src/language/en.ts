import { count, number } from "./choice";

/** What the page says, in English; by the part that says it. */
export const en = {
  app: {
    allLibraries: "All libraries",
    ask: "Ask",
    search: "Search",
    library: "Library",
    conversations: "Conversations",
    shortConversations: "Talks",
    map: "Map",
    answering: (part: string) => `${part}, answering`,
    toBeginning: "Manole, to the beginning",
    parts: "Parts",
    skip: "Skip to the content",
    welcome: "Welcome",
    awayTitle: "Manole does not answer.",
    away: "The page goes on by itself as soon as it runs again:",
    noLibraryTitle: "No folder is read yet",
    noLibrary: { choose: "Choose one", rest: ", and this is about its files." },
    broken: "This part of the page broke.",
    loadAgain: "Load it again",
    colours: { system: "as the system", light: "light", dark: "dark" },
    changeColours: (now: string, next: string) => `Colours: ${now}. Change to ${next}`,
    language: "Language",
    asBrowser: "As the browser",
    token: {
      label: "This server's token",
      wrong: "That is not this server's token.",
      enter: "Enter",
    },
    keys: {
      title: "Keys",
      search: "Search",
      fresh: "New conversation",
      ask: "Ask; with Shift a new line",
      stop: "Stop the answer, or close the source",
      list: "This list",
      close: "Close",
    },
    stages: {
      scan: "Looking at files",
      read: "Reading files",
      embed: "Indexing passages",
      lines: "Indexing pages",
      pages: "Indexing pages",
      recognize: "Reading pictures",
      caption: "Describing photos",
      finish: "Tidying up",
    } as Record<string, string>,
    beginning: "Beginning",
  },

  // ask

  ask: {
    heading: "Ask your files",
    question: "Your question",
    placeholder: "Ask your files",
    ask: "Ask",
    stop: "Stop",
    comesNext: "Asked as soon as this answer is written.",
    tooLong: (most: number) => `A question has ${number(most)} characters at most.`,
    thorough: "Read every paper",
    thoroughWhy: "Slower: the model reads of papers what rules cannot",
    fresh: { short: "New", rest: " conversation" },
    loading: "Loading the conversation",
    ready: "The answer is ready.",
    beginning: {
      title: "What would you like to know?",
      read: (files: number) => `Manole has read ${count(files, "file", "files")} of`,
      rest: ", on this machine. Every answer opens the page that it comes from.",
      stillReading: (far: string) =>
        `Manole is still reading${far && `: ${far}`}. What is not read yet cannot be found.`,
      kinds: {
        pdf: ["PDF", "PDFs"],
        picture: ["picture", "pictures"],
        spreadsheet: ["spreadsheet", "spreadsheets"],
        presentation: ["presentation", "presentations"],
        document: ["document", "documents"],
        mail: ["mail", "mails"],
        "web page": ["web page", "web pages"],
        text: ["text file", "text files"],
        markdown: ["Markdown file", "Markdown files"],
        video: ["video", "videos"],
        audio: ["sound file", "sound files"],
        archive: ["archive", "archives"],
        calendar: ["calendar", "calendars"],
        contacts: ["address book", "address books"],
        "e-book": ["e-book", "e-books"],
        code: ["source file", "source files"],
        other: ["other file", "other files"],
      } as Record<string, [string, string]>,
      year: (year: number) => `of ${year}`,
      years: (first: number, last: number) => `from ${first} to ${last}`,
    },
    scope: {
      only: "Only",
      choose: "Choose what is asked",
      allOf: (library: string) => `All of ${library}`,
      add: "Add",
      place: "Folder or file to ask about",
      placeholder: "Folder or file",
      from: "From",
      to: "to",
      since: (day: string) => `since ${day}`,
      until: (day: string) => `until ${day}`,
      period: (from: string, to: string) => `${from} – ${to}`,
      remove: (what: string) => `Ask about more than ${what}`,
    },
    steps: {
      looking: "Looking into it",
      writing: "Writing the answer",
      reading: "Reading",
      count: (n: number) => count(n, "step", "steps"),
      tools: {
        semantic_search: "Searched",
        query: "Looked it up",
        query_table: "Calculated",
        read_document: "Read",
        summarize: "Summed up",
        visual_search: "Looked for pages",
        visual_interpretation: "Looked at pages",
        grep_files: "Looked for words",
        list_files: "Listed files",
      } as Record<string, string>,
    },
    away: "Waiting until Manole is back",
    lookingForAnswer: "Looking for an answer",
    whichOne: "Which one do you mean?",
    readAs: "Read as:",
    readAgain: "Say it otherwise",
    stopped: "You stopped this answer.",
    again: "Ask again",
    brokenTitle: "This answer was broken off.",
    broken: "The question is kept. It can be asked again as soon as Manole runs.",
    nearest: "Not stated outright; the nearest is quoted",
    missing: "Not found in your files",
    low: "Low confidence: check this against its sources",
    compared: "Compared",
    table: "Table",
    found: "What was found",
    together: "Together",
    rows: (n: number) => count(n, "row", "rows"),
    saveCsv: "Save as CSV",
    evidence: "Evidence",
    filesSay: "What your files say",
    ordering:
      "Some of this may be meant as an instruction to whoever answers. It is text like any other.",
    less: "Less",
    wholePassage: "The whole passage",
    sources: "Sources",
    readForThis: "Read for this",
    more: (n: number) => `${number(n)} more`,
    source: (n: number, where: string) => `Source ${n}: ${where}`,
    page: (n: number) => `page ${n}`,
    line: (n: number) => `line ${n}`,
    ofQuestion: (name: string, place: number) => `${name} of question ${place}`,
    actions: {
      legend: "What to do with this answer",
      copied: "Copied",
      copy: "Copy the answer with its sources",
      exported: "Export the conversation as Markdown",
      edit: "Edit the question",
      good: "Good answer",
      bad: "Bad answer",
    },
    confidence: { high: "high confidence", medium: "medium confidence", low: "low confidence" },
    tokens: (read: number, written: number) =>
      `${number(read)} tokens read, ${number(written)} written`,
    noModel: "no model needed",
    columns: {} as Record<string, string>,
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
