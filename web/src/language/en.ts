import { count, number } from "./choice";

/** What the page says, in English; by the part that says it. */
export const en = {
  app: {
    rows: (n: number) => count(n, "row", "rows"),
  },

  // ask

  ask: {},

  // conversations

  conversations: {
    title: "Conversations",
    opening: "Opening the library",
    reading: "Reading the conversations",
    none: "No conversations yet",
    noneWhy: "What you ask, and what is answered, is kept here: on this computer only.",
    ask: "Ask something",
    search: "Search within conversations",
    words: "Words in a question or an answer",
    clear: "Clear",
    noneFound: "No conversation holds these words",
    noneFoundWhy: "Questions and answers are looked through, and titles. Try one word of it only.",
    found: (n: number, more: boolean) => `${number(n)}${more ? " or more" : ""} found`,
    older: "Show older ones",
    readingOn: "Reading on …",
    today: "Today",
    yesterday: "Yesterday",
    lastDays: "The last seven days",
    turns: (n: number) => count(n, "turn", "turns"),
    rename: (title: string) => `Rename “${title}”`,
    remove: (title: string) => `Delete “${title}”`,
    removed: (title: string) => `“${title}” is deleted.`,
    keep: (title: string) => `Keep “${title}”`,
    undo: "Undo",
    export: (title: string) => `Export “${title}”`,
    toRead: "to read",
    forPrograms: "for programs",
    titleNeeds: "A title needs a letter or a figure.",
  },
  renaming: { label: "New title", save: "Save", cancel: "Cancel" },

  // library

  library: {
    title: "Library",
    sections: "Sections of the library",
    tabs: { files: "Files", models: "Models", settings: "Settings" },
    cancel: "Cancel",
    undo: "Undo",
    stop: "Stop",
    files: (n: number) => count(n, "file", "files"),
    passages: (n: number) => count(n, "passage", "passages"),

    // Numbers and moments in words
    units: ["bytes", "kB", "MB", "GB", "TB"],
    bytes: (n: number) => count(n, "byte", "bytes"),
    onDay: (day: string) => `on ${day}`,
    justNow: "just now",
    minutesAgo: (n: number) => `${count(n, "minute", "minutes")} ago`,
    hoursAgo: (n: number) => `${count(n, "hour", "hours")} ago`,
    daysAgo: (n: number) => `${count(n, "day", "days")} ago`,
    moment: "a few seconds left",
    secondsLeft: (n: number) => `about ${number(n)} seconds left`,
    minutesLeft: (n: number) => `about ${count(n, "minute", "minutes")} left`,
    hoursLeft: (n: number) => `about ${count(n, "hour", "hours")} left`,
    pages: (n: number) => count(n, "page", "pages"),
    photos: (n: number) => count(n, "photo", "photos"),
    aSecond: (done: string) => `${done} a second`,
    aMinute: (done: string) => `${done} a minute`,
    of: (done: string, total: string) => `${done} of ${total}`,

    libraries: {
      label: "Folders that Manole reads",
      inUse: "Library in use",
      add: "Add a folder",
      addVerb: (folder: string) => `Add ${folder}`,
      addWhat:
        "Its files become a library of their own. Manole only reads them: it never changes, moves or deletes a file.",
      rename: "Rename",
      renameThis: (name: string) => `Rename ${name}`,
      tooLong: "A name has 80 characters at most.",
      remove: "Remove",
      removeThis: (name: string) => `Remove ${name}`,
      removeAsk: (name: string) => `Remove ${name} from Manole?`,
      removeWhat:
        "Its files stay as they are: only what Manole has read of them is deleted. Added again, the folder is read anew, and its conversations are back.",
      notIndexed: "not indexed yet",
      updated: (ago: string) => `updated ${ago}`,
    },

    loading: "Loading the library",
    gone: (name: string) => `${name} is no longer in Manole.`,
    loadingFiles: "Loading the files",
    index: (problem: string) => `The index: ${problem}.`,
    beingRead: "This folder is being read",
    beingReadHint:
      "Its files stand here as soon as they are known; the texts can be searched before that.",
    notIndexed: "This folder is not indexed yet",
    notIndexedHint: "Update to have its files read; after that they can be searched and asked.",
    empty: "There is nothing to read in this folder",
    emptyHint: "Put files into it, or choose another folder, and update.",
    inPassages: (n: number) => `in ${count(n, "passage", "passages")}`,

    sync: {
      update: "Update now",
      anew: "Read everything anew",
      anewAsk: "Read everything anew?",
      anewWhat: (n: number) =>
        `${n > 0 ? `All ${count(n, "file", "files")}` : "All files"} of this library are read and indexed again, which can take long. An update reads only what changed. What is indexed now stays searchable meanwhile.`,
      beginning: "Beginning",
      failed: "The last update failed.",
      drop: "Take them out of the index",
      updated: (ago: string) => `Updated ${ago}`,
      never: "Not indexed yet",
      stopped: "Stopped. What was read until then is kept.",
      added: (n: number) => `${count(n, "file", "files")} added`,
      changed: (n: number) => `${count(n, "file", "files")} changed`,
      renamed: (n: number) => `${count(n, "file", "files")} renamed`,
      deleted: (n: number) => `${count(n, "file", "files")} gone`,
      nothing: "nothing had changed",
    },

    status: { indexed: "Indexed", partial: "Partial", skipped: "Skipped", failed: "Failed" },
    statusCount: {
      indexed: "indexed",
      partial: "partial",
      skipped: "skipped",
      failed: "failed",
    },

    list: {
      label: "Files",
      all: "All files",
      of: (shown: number, all: number) => `${number(shown)} of ${count(all, "file", "files")}`,
      words: "Words in the path",
      status: "Status",
      anyStatus: "Any status",
      sortedBy: "Sorted by",
      by: { status: "By status", name: "By name", date: "By date", size: "By size" },
      columns: {
        name: "Name",
        status: "Status",
        pages: "Pages",
        size: "Size",
        date: "Date",
        actions: "Actions",
      },
      page: (n: number): string => (n === 1 ? "page" : "pages"),
      showAll: "Show all",
      none: "No file fits. Take a word away, or show all.",
      actionsFor: (file: string) => `Actions for ${file}`,
      open: "Open",
      summarise: "Summarise",
      summariseThis: "Summarise this",
      askFile: "Ask about this file",
      askFolder: (folder: string) => `Ask about ${folder}`,
      reread: "Read again",
      excludeFile: "Exclude this file",
      excludeFolder: (folder: string) => `Exclude the folder ${folder}`,
    },

    folders: {
      title: "Folders",
      everything: "Everything",
      inside: (folder: string) => `Folders in ${folder}`,
      exclude: (folder: string) => `Exclude ${folder}`,
    },

    excluded: {
      title: "Excluded",
      leftOut: (path: string) => `${path} is left out.`,
      readAgain: (path: string) => `${path} is read again.`,
      untouched: "The files themselves are untouched; the index follows in a moment.",
      takeBack: "Take back",
      takeBackThis: (path: string) => `Take back ${path}`,
      kinds: { pattern: "Pattern", folder: "Folder", file: "File" },
    },

    unread: {
      title: "What was not read, and why",
      skipped: (n: number) =>
        `${count(n, "file", "files")} skipped, as there is nothing to read in them`,
      first: (n: number) => `The first ${number(n)} files`,
      which: "Which files",
      reread: (file: string) => `Read ${file} again`,
      showAll: "Show all in the list",
      ways: { models: "See the models", settings: "See the settings" },
      folders: "Folders that could not be opened",
      folderCount: (n: number) => count(n, "folder", "folders"),
      foldersAdvice: "Give your user the right to open them, then update.",
      itself: "The folder itself",
    },

    // Why files were not read, and what to do about it
    problems: {
      known: {
        password: {
          title: "Protected by a password",
          advice: "Open the file, save a copy without the password beside it, then update.",
        },
        permission: {
          title: "Not allowed to be read",
          advice: "Give your user the right to read these files, then update.",
        },
        gone: {
          title: "Gone while it was read",
          advice: "If you moved or deleted it, the next update takes notice of that.",
        },
        vision: {
          title: "The model for pictures failed",
          advice: "The photos are found by their name and date. Update to try again.",
        },
        photos: {
          title: "Photos that nothing describes yet",
          advice:
            "They are found by their name and date. With a model for pictures, what they show is found, too.",
        },
        scans: {
          title: "Scans whose words are not read",
          advice: "Let scans and pictures be read, then update.",
        },
        heic: {
          title: "HEIC photos",
          advice: "Install Manole with the extra manole[heic], or save the photos as JPEG.",
        },
        rare: {
          title: "Pictures of a rare format",
          advice: "Save them as PNG or JPEG to have them read.",
        },
        refused: {
          title: "Refused for safety",
          advice:
            "It unpacks to far more than such a file should. Save it anew in its own program.",
        },
        large: {
          title: "Too large for the limits",
          advice:
            "What was read can be found. To read more, raise the limits in the section extract of manole.toml.",
        },
        unfinished: {
          title: "Not finished yet",
          advice: "The rest is read by this update, or by the next one.",
        },
        damaged: {
          title: "Damaged, or not what the name says",
          advice:
            "Open it in its own program. If that works, save it anew and read it again here; if not, take it from a backup.",
        },
        unreachable: {
          title: "Out of reach",
          advice: "See whether its disk or network drive is connected, then read it again.",
        },
        old: {
          title: "Old Office formats",
          advice: "Their words are found. Saved as .docx or .pptx, their structure is kept, too.",
        },
        noDocument: {
          title: "No documents",
          advice: "Nothing needs to be done. What lies in an archive is read once it is unpacked.",
        },
        empty: { title: "Empty", advice: "Nothing needs to be done." },
      },
      noReason: "No reason was given",
      nothing: "Nothing needs to be done.",
      again: "Read it again; if that does not help, save it anew.",
    },

    models: {
      loading: "Loading the models",
      lead: "A model is fetched once, from the place that is named beside it: here, or by the first question or update that needs it. Afterwards it works on this machine, without a network: no file, no question and no answer leaves it.",
      free: (size: string) => `${size} are free on this disk.`,
      missing: (name: string) => `${name} is in use and not at hand.`,
      missingChat: "Fetch it to get answers; search works without it.",
      missingEmbed: "Fetch it: nothing new can be indexed without it.",
      none: "No models are known",
      noneBefore: "The settings name where models come from; see the section ",
      noneAfter: ".",
      whichBefore: "Which model is used stands in the ",
      which: "settings",
      whichAfter: ".",
      elsewhere: (name: string) => `${name} is another server.`,
      sent: {
        chat: "Your questions, and the passages found for them, are sent there for the answer.",
        embed: "The text of your files, and your questions, are sent there to be indexed.",
        vision: "Your pictures are sent there to be described.",
      },
      roles: {
        chat: {
          name: "Answers",
          purpose: "Reads what was found and writes the answer. Search works without one.",
        },
        embed: {
          name: "Search",
          purpose: "Finds passages by what they mean, not only by their words. Indexing needs it.",
        },
        vision: {
          name: "Pictures",
          purpose:
            "Says what photos and drawings show, so that they are found by it. Nothing needs it.",
        },
      },
      inUse: "In use",
      size: "Size",
      unknown: "Not known",
      licence: "Licence",
      from: "From",
      here: "On this machine",
      use: "Use",
      putToUse: (name: string) => `Use ${name}`,
      remove: "Remove",
      removeThis: (name: string) => `Remove ${name}`,
      fetch: "Fetch",
      fetchThis: (name: string) => `Fetch ${name}`,
      goOn: "Go on",
      goOnThis: (name: string) => `Go on fetching ${name}`,
      fetching: (name: string) => `Fetching ${name}`,
      partly: (size: string) => `${size} of it are here; fetching goes on from there.`,
      noRoom: "There is not enough room on the disk for it.",
      failed: "It could not be fetched.",
    },

    settings: {
      loading: "Loading the settings",
      none: "Nothing can be set here",
      noneBefore: "The settings stand in ",
      noneAfter: ".",
      leadBefore: "Each change is kept at once, in ",
      leadAfter: "; your comments in that file stay.",
      groups: {
        answers: "Answers",
        reading: "Reading files",
        models: "Models",
        other: "Other",
      },
      titles: {
        "index.ocr": "Read scans and pictures",
        "index.pages": "Find whole pages",
        "agent.thorough": "Thorough answers",
        "agent.strategy": "Way of answering",
        "agent.max_iterations": "Steps of an answer",
        "agent.keep_conversations": "Keep conversations",
        "model.name": "Model for answers",
        "vision.name": "Model for pictures",
      } as Record<string, string>,
      // What a setting does: where nothing stands here, the server's own words are shown
      abouts: {} as Record<string, string>,
      choices: {
        "index.pages": { lines: "By their lines", off: "Not at all" },
        "agent.strategy": {
          agent: "Step by step, with tools",
          journal: "As a journal, by dates",
          pipeline: "In six fixed stages",
          simple: "One search, one answer",
        },
        "model.name": { auto: "The best that is at hand" },
        "vision.name": { auto: "One that is at hand", off: "None" },
      } as Record<string, Record<string, string>>,
      on: "On",
      off: "Off",
      isOn: "on",
      isOff: "off",
      save: "Save",
      saved: "Saved.",
      undone: "Undone.",
      undoThis: (title: string) => `Undo: ${title}`,
      takesEffect: {
        now: "Takes effect at once.",
        "next sync": "Takes effect with the next update of the library.",
        restart: "Takes effect when Manole starts again.",
      },
      pending: "It takes effect when Manole starts again.",
      isDefault: "This is the default.",
      inFile: "Set in the file.",
      toDefault: (value: string) => `Back to the default, ${value}`,
      byEnvironment: (variable: string | undefined) =>
        `Set in the environment${variable ? ` by ${variable}` : ""}: change it there.`,
      byFlag: "Set on the command line that started Manole.",
      something: "Enter something.",
      wholeNumber: "Enter a whole number.",
      atLeast: (least: number) => `At least ${number(least)}.`,
      atMost: (most: number) => `At most ${number(most)}.`,
    },
  },

  // map

  map: {},

  // search

  search: {},

  // source

  source: {},

  // ui

  ui: {},

  // welcome

  welcome: {
    loading: "Loading",
    title: "Ask your own files",
    lead: "Manole answers questions about your files and shows the page each answer stands on. Everything stays on this machine: your files, your questions and the answers.",
    another: "Add another folder",
    anotherBefore: (names: string[]) => `Manole reads ${names.join(" and ")} already, as the `,
    anotherLibrary: "library",
    anotherAfter: " shows. Another folder becomes a library of its own.",
    done: ", done",

    choose: {
      title: "Choose a folder",
      added: "Added: ",
      chosen: "Chosen: ",
      example: "the example",
      addAnother: "Add another",
      again: "Choose again",
      what: "Documents, invoices, mail, photos, notes: whatever you want to ask about, with all folders inside. Files are only read; none is changed, moved or deleted.",
      button: "Choose a folder",
      onlyLooking: "Only looking?",
      exampleIs:
        " The example is the papers of an invented family: 58 files in 15 formats, quickly read.",
      tryExample: "Try the example",
    },

    folders: {
      looking: "Looking at the folders",
      inside: (folder: string) => `Folders in ${folder}`,
      none: "No folders in here.",
      way: "Where this folder lies",
      machine: "This machine",
      home: "Home",
      yourHome: "your home folder",
      typePath: "Or type its path",
      open: "Open",
      choose: (folder: string) => `Choose ${folder}`,
    },

    models: {
      fetch: "Fetch the models",
      title: "The models",
      looking: "Looking for the models",
      allHere: "All that is needed is on this machine; nothing has to be fetched.",
      see: "See the models",
      what: "Small models do the work on this machine. They are fetched once, from the places named here; after that no network is needed, and nothing leaves this machine.",
      model: "Model",
      licence: "Licence",
      from: "From",
      size: "Size",
      here: "already here",
      purposes: {
        embed: "Finds passages",
        chat: "Writes answers",
        vision: "Describes photos",
      },
      inAll: (total: string, free: string) => `${total} in all. ${free} are free on this disk.`,
      noRoom: "There is not enough room on the disk.",
      makeRoom: "Make room, then load this page again.",
      fetchAll: (size: string) => `Fetch ${size}`,
      onlySearch: (size: string) => `Only search for now, ${size}`,
      waits: "Your folder is read as soon as the model for search is here.",
      failed: (name: string) => `${name} could not be fetched.`,
    },

    read: {
      ask: "Ask",
      what: "You see here how your folder is read. What is read can be searched at once, long before the end.",
      title: "Your folder is being read",
      beginning: "Beginning",
      failed: "Reading failed.",
      stopped: "Reading was stopped.",
      goOn: "Go on",
      kept: "What was read until then is kept.",
      found: {
        running: "Search works already.",
        done: "Your folder is read.",
        idle: "Your folder is read.",
        failed: "What was read can be found.",
        cancelled: "What was read can be found.",
      },
      canBeFound: (files: number, passages: number) =>
        `${count(files, "file", "files")} and ${count(passages, "passage", "passages")} can be found.`,
      textsFound: "All texts can be found; pictures follow.",
      search: "Search them",
      orSee: ", or see ",
      whichFiles: (n: number) => `which ${count(n, "file", "files")}`,
      notWhole: " could not be read whole",
      question: "Ask a question",
      needs: (name: string, size: string) =>
        `Answers need ${name}, ${size}: fetch it in step 2, else the first question does, and waits for it.`,
      ofExample: [
        "What is our notice period as tenants?",
        "The boiler shows E04, what does that mean?",
        "How many invoices do I have and which one is the highest?",
      ],
      ofAny: [
        "How many files are there in total?",
        "Show me the five newest files",
        "Which folder has the most files?",
      ],
    },
  },
};
