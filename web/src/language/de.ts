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

  conversations: {
    title: "Gespräche",
    opening: "Die Bibliothek wird geöffnet",
    reading: "Die Gespräche werden gelesen",
    none: "Noch keine Gespräche",
    noneWhy: "Fragen und Antworten werden hier aufbewahrt: nur auf diesem Rechner.",
    ask: "Etwas fragen",
    search: "In Gesprächen suchen",
    words: "Wörter aus Frage oder Antwort",
    clear: "Leeren",
    noneFound: "Kein Gespräch enthält diese Wörter",
    noneFoundWhy:
      "Durchsucht werden Fragen, Antworten und Titel. Vielleicht hilft ein einzelnes Wort.",
    found: (n: number, more: boolean) => `${number(n)}${more ? " oder mehr" : ""} gefunden`,
    older: "Ältere zeigen",
    readingOn: "Wird weitergelesen …",
    today: "Heute",
    yesterday: "Gestern",
    lastDays: "Die letzten sieben Tage",
    turns: (n: number) => count(n, "Frage", "Fragen"),
    rename: (title: string) => `„${title}“ umbenennen`,
    remove: (title: string) => `„${title}“ löschen`,
    removed: (title: string) => `„${title}“ ist gelöscht.`,
    keep: (title: string) => `„${title}“ behalten`,
    undo: "Rückgängig",
    export: (title: string) => `„${title}“ exportieren`,
    toRead: "zum Lesen",
    forPrograms: "für Programme",
    titleNeeds: "Ein Titel braucht einen Buchstaben oder eine Ziffer.",
  },
  renaming: { label: "Neuer Titel", save: "Speichern", cancel: "Abbrechen" },

  // library

  library: {
    title: "Bibliothek",
    sections: "Bereiche der Bibliothek",
    tabs: { files: "Dateien", models: "Modelle", settings: "Einstellungen" },
    cancel: "Abbrechen",
    undo: "Rückgängig",
    stop: "Anhalten",
    files: (n: number) => count(n, "Datei", "Dateien"),
    passages: (n: number) => count(n, "Textstelle", "Textstellen"),

    // Zahlen und Zeitpunkte in Worten
    units: ["Byte", "kB", "MB", "GB", "TB"],
    bytes: (n: number) => `${number(n)} Byte`,
    onDay: (day: string) => `am ${day}`,
    justNow: "gerade eben",
    minutesAgo: (n: number) => `vor ${count(n, "Minute", "Minuten")}`,
    hoursAgo: (n: number) => `vor ${count(n, "Stunde", "Stunden")}`,
    daysAgo: (n: number) => `vor ${count(n, "Tag", "Tagen")}`,
    moment: "noch wenige Sekunden",
    secondsLeft: (n: number) => `noch etwa ${number(n)} Sekunden`,
    minutesLeft: (n: number) => `noch etwa ${count(n, "Minute", "Minuten")}`,
    hoursLeft: (n: number) => `noch etwa ${count(n, "Stunde", "Stunden")}`,
    pages: (n: number) => count(n, "Seite", "Seiten"),
    photos: (n: number) => count(n, "Foto", "Fotos"),
    aSecond: (done: string) => `${done} je Sekunde`,
    aMinute: (done: string) => `${done} je Minute`,
    of: (done: string, total: string) => `${done} von ${total}`,

    libraries: {
      label: "Ordner, die Manole liest",
      inUse: "Bibliothek in Gebrauch",
      add: "Ordner hinzufügen",
      addVerb: (folder: string) => `${folder} hinzufügen`,
      addWhat:
        "Seine Dateien werden eine eigene Bibliothek. Manole liest sie nur: Keine Datei wird geändert, verschoben oder gelöscht.",
      rename: "Umbenennen",
      renameThis: (name: string) => `${name} umbenennen`,
      tooLong: "Ein Name hat höchstens 80 Zeichen.",
      remove: "Entfernen",
      removeThis: (name: string) => `${name} entfernen`,
      removeAsk: (name: string) => `${name} aus Manole entfernen?`,
      removeWhat:
        "Die Dateien bleiben, wie sie sind: Gelöscht wird nur, was Manole daraus gelesen hat. Wird der Ordner wieder hinzugefügt, wird er neu gelesen, und seine Gespräche sind wieder da.",
      notIndexed: "noch nicht indexiert",
      updated: (ago: string) => `aktualisiert ${ago}`,
    },

    loading: "Die Bibliothek wird geladen",
    gone: (name: string) => `${name} ist nicht mehr in Manole.`,
    loadingFiles: "Die Dateien werden geladen",
    index: (problem: string) => `Der Index: ${problem}.`,
    beingRead: "Dieser Ordner wird gelesen",
    beingReadHint:
      "Seine Dateien stehen hier, sobald sie bekannt sind; die Texte lassen sich schon vorher durchsuchen.",
    notIndexed: "Dieser Ordner ist noch nicht indexiert",
    notIndexedHint:
      "Durch Aktualisieren werden seine Dateien gelesen; danach lassen sie sich durchsuchen und befragen.",
    empty: "In diesem Ordner gibt es nichts zu lesen",
    emptyHint: "Dateien hineinlegen oder einen anderen Ordner wählen, dann aktualisieren.",
    inPassages: (n: number) => `in ${count(n, "Textstelle", "Textstellen")}`,

    sync: {
      update: "Jetzt aktualisieren",
      anew: "Alles neu lesen",
      anewAsk: "Alles neu lesen?",
      anewWhat: (n: number) =>
        `${n > 1 ? `Alle ${number(n)} Dateien` : "Alle Dateien"} dieser Bibliothek werden noch einmal gelesen und indexiert; das kann lange dauern. Eine Aktualisierung liest nur, was sich geändert hat. Was jetzt indexiert ist, bleibt währenddessen durchsuchbar.`,
      beginning: "Es geht los",
      failed: "Die letzte Aktualisierung ist fehlgeschlagen.",
      drop: "Aus dem Index nehmen",
      updated: (ago: string) => `Aktualisiert ${ago}`,
      never: "Noch nicht indexiert",
      stopped: "Angehalten. Was bis dahin gelesen wurde, bleibt.",
      added: (n: number) => `${count(n, "Datei", "Dateien")} hinzugekommen`,
      changed: (n: number) => `${count(n, "Datei", "Dateien")} geändert`,
      renamed: (n: number) => `${count(n, "Datei", "Dateien")} umbenannt`,
      deleted: (n: number) => `${count(n, "Datei", "Dateien")} verschwunden`,
      nothing: "nichts hatte sich geändert",
    },

    status: {
      indexed: "Indexiert",
      partial: "Teilweise",
      skipped: "Übergangen",
      failed: "Gescheitert",
    },
    statusCount: {
      indexed: "indexiert",
      partial: "teilweise",
      skipped: "übergangen",
      failed: "gescheitert",
    },

    list: {
      label: "Dateien",
      all: "Alle Dateien",
      of: (shown: number, all: number) => `${number(shown)} von ${count(all, "Datei", "Dateien")}`,
      words: "Wörter im Pfad",
      status: "Status",
      anyStatus: "Jeder Status",
      sortedBy: "Sortiert nach",
      by: { status: "Nach Status", name: "Nach Name", date: "Nach Datum", size: "Nach Größe" },
      columns: {
        name: "Name",
        status: "Status",
        pages: "Seiten",
        size: "Größe",
        date: "Datum",
        actions: "Aktionen",
      },
      page: (n: number): string => (n === 1 ? "Seite" : "Seiten"),
      showAll: "Alle zeigen",
      none: "Keine Datei passt. Ein Wort weglassen oder alle zeigen.",
      actionsFor: (file: string) => `Aktionen für ${file}`,
      open: "Öffnen",
      summarise: "Zusammenfassen",
      summariseThis: "Fasse das zusammen",
      askFile: "Zu dieser Datei fragen",
      askFolder: (folder: string) => `Zu ${folder} fragen`,
      reread: "Neu lesen",
      excludeFile: "Diese Datei auslassen",
      excludeFolder: (folder: string) => `Den Ordner ${folder} auslassen`,
    },

    folders: {
      title: "Ordner",
      everything: "Alles",
      inside: (folder: string) => `Ordner in ${folder}`,
      exclude: (folder: string) => `${folder} auslassen`,
    },

    excluded: {
      title: "Ausgelassen",
      leftOut: (path: string) => `${path} wird ausgelassen.`,
      readAgain: (path: string) => `${path} wird wieder gelesen.`,
      untouched: "Die Dateien selbst bleiben unberührt; der Index folgt gleich.",
      takeBack: "Zurücknehmen",
      takeBackThis: (path: string) => `${path} zurücknehmen`,
      kinds: { pattern: "Muster", folder: "Ordner", file: "Datei" },
    },

    unread: {
      title: "Was nicht gelesen wurde, und warum",
      skipped: (n: number) =>
        `${count(n, "Datei", "Dateien")} übergangen, da es nichts darin zu lesen gibt`,
      first: (n: number) => `Die ersten ${number(n)} Dateien`,
      which: "Welche Dateien",
      reread: (file: string) => `${file} neu lesen`,
      showAll: "Alle in der Liste zeigen",
      ways: { models: "Zu den Modellen", settings: "Zu den Einstellungen" },
      folders: "Ordner, die sich nicht öffnen ließen",
      folderCount: (n: number) => count(n, "Ordner", "Ordner"),
      foldersAdvice: "Dem eigenen Benutzer das Recht geben, sie zu öffnen, dann aktualisieren.",
      itself: "Der Ordner selbst",
    },

    // Warum Dateien nicht gelesen wurden, und was sich tun lässt
    problems: {
      known: {
        password: {
          title: "Durch ein Passwort geschützt",
          advice:
            "Die Datei öffnen, eine Kopie ohne Passwort daneben speichern, dann aktualisieren.",
        },
        permission: {
          title: "Darf nicht gelesen werden",
          advice:
            "Dem eigenen Benutzer das Recht geben, diese Dateien zu lesen, dann aktualisieren.",
        },
        gone: {
          title: "Beim Lesen verschwunden",
          advice: "Wurde die Datei verschoben oder gelöscht, merkt es die nächste Aktualisierung.",
        },
        vision: {
          title: "Das Modell für Bilder ist gescheitert",
          advice:
            "Die Fotos werden über Name und Datum gefunden. Aktualisieren versucht es noch einmal.",
        },
        photos: {
          title: "Fotos, die noch niemand beschreibt",
          advice:
            "Sie werden über Name und Datum gefunden. Mit einem Modell für Bilder wird auch gefunden, was sie zeigen.",
        },
        scans: {
          title: "Scans, deren Wörter nicht gelesen sind",
          advice: "Scans und Bilder lesen lassen, dann aktualisieren.",
        },
        heic: {
          title: "HEIC-Fotos",
          advice:
            "Manole mit dem Zusatz manole[heic] installieren oder die Fotos als JPEG speichern.",
        },
        rare: {
          title: "Bilder in einem seltenen Format",
          advice: "Als PNG oder JPEG gespeichert, werden sie gelesen.",
        },
        refused: {
          title: "Aus Vorsicht abgelehnt",
          advice:
            "Entpackt wird daraus weit mehr, als es bei einer solchen Datei sein sollte. Im eigenen Programm neu speichern.",
        },
        large: {
          title: "Zu groß für die Grenzen",
          advice:
            "Was gelesen wurde, wird gefunden. Um mehr zu lesen, die Grenzen im Abschnitt extract von manole.toml anheben.",
        },
        unfinished: {
          title: "Noch nicht fertig",
          advice: "Der Rest wird bei dieser oder der nächsten Aktualisierung gelesen.",
        },
        damaged: {
          title: "Beschädigt oder nicht, was der Name sagt",
          advice:
            "Im eigenen Programm öffnen. Gelingt das, neu speichern und hier noch einmal lesen; sonst aus einer Sicherung holen.",
        },
        unreachable: {
          title: "Nicht erreichbar",
          advice: "Nachsehen, ob Festplatte oder Netzlaufwerk verbunden ist, dann neu lesen.",
        },
        old: {
          title: "Alte Office-Formate",
          advice:
            "Ihre Wörter werden gefunden. Als .docx oder .pptx gespeichert, bleibt auch ihr Aufbau erhalten.",
        },
        noDocument: {
          title: "Keine Dokumente",
          advice:
            "Es ist nichts zu tun. Was in einem Archiv liegt, wird gelesen, sobald es entpackt ist.",
        },
        empty: { title: "Leer", advice: "Es ist nichts zu tun." },
      },
      noReason: "Kein Grund angegeben",
      nothing: "Es ist nichts zu tun.",
      again: "Neu lesen; hilft das nicht, neu speichern.",
    },

    models: {
      loading: "Die Modelle werden geladen",
      lead: "Ein Modell wird einmal geholt, von dem Ort, der daneben steht: hier oder durch die erste Frage oder Aktualisierung, die es braucht. Danach arbeitet es auf diesem Rechner, ohne Netz: Keine Datei, keine Frage und keine Antwort verlässt ihn.",
      free: (size: string) => `${size} sind auf diesem Laufwerk frei.`,
      missing: (name: string) => `${name} ist in Gebrauch, aber nicht da.`,
      missingChat: "Für Antworten muss es geholt werden; die Suche geht ohne.",
      missingEmbed: "Es muss geholt werden: Ohne es lässt sich nichts Neues indexieren.",
      none: "Keine Modelle bekannt",
      noneBefore: "Woher Modelle kommen, sagen die Einstellungen; siehe ",
      noneAfter: ".",
      whichBefore: "Welches Modell benutzt wird, steht in den ",
      which: "Einstellungen",
      whichAfter: ".",
      elsewhere: (name: string) => `${name} ist ein anderer Server.`,
      sent: {
        chat: "Fragen und die dazu gefundenen Textstellen werden für die Antwort dorthin gesendet.",
        embed: "Der Text der Dateien und die Fragen werden zum Indexieren dorthin gesendet.",
        vision: "Bilder werden dorthin gesendet, um beschrieben zu werden.",
      },
      roles: {
        chat: {
          name: "Antworten",
          purpose: "Liest, was gefunden wurde, und schreibt die Antwort. Die Suche geht ohne.",
        },
        embed: {
          name: "Suche",
          purpose:
            "Findet Textstellen nach ihrem Sinn, nicht nur nach ihren Wörtern. Das Indexieren braucht es.",
        },
        vision: {
          name: "Bilder",
          purpose:
            "Sagt, was Fotos und Zeichnungen zeigen, damit sie danach gefunden werden. Nötig ist es nicht.",
        },
      },
      inUse: "In Gebrauch",
      size: "Größe",
      unknown: "Nicht bekannt",
      licence: "Lizenz",
      from: "Von",
      here: "Auf diesem Rechner",
      use: "Benutzen",
      putToUse: (name: string) => `${name} benutzen`,
      remove: "Entfernen",
      removeThis: (name: string) => `${name} entfernen`,
      fetch: "Holen",
      fetchThis: (name: string) => `${name} holen`,
      goOn: "Weiter holen",
      goOnThis: (name: string) => `${name} weiter holen`,
      fetching: (name: string) => `${name} wird geholt`,
      partly: (size: string) => `${size} davon sind da; von dort geht es weiter.`,
      noRoom: "Auf dem Laufwerk ist nicht genug Platz dafür.",
      failed: "Es konnte nicht geholt werden.",
    },

    settings: {
      loading: "Die Einstellungen werden geladen",
      none: "Hier lässt sich nichts einstellen",
      noneBefore: "Die Einstellungen stehen in ",
      noneAfter: ".",
      leadBefore: "Jede Änderung wird sofort gespeichert, in ",
      leadAfter: "; Kommentare in dieser Datei bleiben.",
      groups: {
        answers: "Antworten",
        reading: "Dateien lesen",
        models: "Modelle",
        other: "Weiteres",
      },
      titles: {
        "index.ocr": "Scans und Bilder lesen",
        "index.pages": "Ganze Seiten finden",
        "agent.thorough": "Gründliche Antworten",
        "agent.strategy": "Art zu antworten",
        "agent.max_iterations": "Schritte einer Antwort",
        "agent.keep_conversations": "Gespräche aufbewahren",
        "model.name": "Modell für Antworten",
        "vision.name": "Modell für Bilder",
      },
      // Was eine Einstellung bewirkt; der Server sagt es nur auf Englisch
      abouts: {
        "index.ocr": "Die Wörter in Bildern und gescannten Seiten werden gelesen.",
        "index.pages":
          "Wie Seiten gefunden werden: `lines`, `colqwen`, `colqwen:ORDNER` oder `off`.",
        "agent.thorough": "Das Modell liest, was Regeln nicht lesen können.",
        "agent.strategy": "Wie eine Antwort entsteht.",
        "agent.max_iterations": "So oft darf eine Antwort nachsehen.",
        "agent.keep_conversations": "Aufbewahren, was in `manole chat` gesagt wird.",
        "model.name": "Ein Name aus `manole models`, eine .gguf-Datei oder `openai:NAME`.",
        "vision.name":
          "`auto`, `off`, ein Name aus `manole models`, eine .gguf-Datei oder `openai:NAME`.",
      },
      choices: {
        "index.pages": { lines: "Nach ihren Zeilen", off: "Gar nicht" },
        "agent.strategy": {
          agent: "Schritt für Schritt, mit Werkzeugen",
          journal: "Als Tagebuch, nach Daten",
          pipeline: "In sechs festen Stufen",
          simple: "Eine Suche, eine Antwort",
        },
        "model.name": { auto: "Das beste, das da ist" },
        "vision.name": { auto: "Eines, das da ist", off: "Keines" },
      },
      on: "An",
      off: "Aus",
      isOn: "an",
      isOff: "aus",
      save: "Speichern",
      saved: "Gespeichert.",
      undone: "Rückgängig gemacht.",
      undoThis: (title: string) => `Rückgängig: ${title}`,
      takesEffect: {
        now: "Gilt sofort.",
        "next sync": "Gilt ab der nächsten Aktualisierung der Bibliothek.",
        restart: "Gilt, sobald Manole neu startet.",
      },
      pending: "Es gilt, sobald Manole neu startet.",
      isDefault: "Das ist der Standard.",
      inFile: "In der Datei gesetzt.",
      toDefault: (value: string) => `Zurück zum Standard, ${value}`,
      byEnvironment: (variable: string | undefined) =>
        `In der Umgebung gesetzt${variable ? ` durch ${variable}` : ""}: dort ändern.`,
      byFlag: "Auf der Befehlszeile gesetzt, mit der Manole gestartet wurde.",
      something: "Etwas eingeben.",
      wholeNumber: "Eine ganze Zahl eingeben.",
      atLeast: (least: number) => `Mindestens ${number(least)}.`,
      atMost: (most: number) => `Höchstens ${number(most)}.`,
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
    loading: "Wird geladen",
    title: "Fragen an die eigenen Dateien",
    lead: "Manole beantwortet Fragen zu den eigenen Dateien und zeigt die Seite, auf die sich jede Antwort stützt. Alles bleibt auf diesem Rechner: die Dateien, die Fragen und die Antworten.",
    another: "Noch einen Ordner hinzufügen",
    anotherBefore: (names: string[]) => `Manole liest schon ${names.join(" und ")}, wie die `,
    anotherLibrary: "Bibliothek",
    anotherAfter: " zeigt. Ein weiterer Ordner wird eine eigene Bibliothek.",
    done: ", erledigt",

    choose: {
      title: "Einen Ordner wählen",
      added: "Hinzugefügt: ",
      chosen: "Gewählt: ",
      example: "das Beispiel",
      addAnother: "Noch einen hinzufügen",
      again: "Neu wählen",
      what: "Dokumente, Rechnungen, E-Mails, Fotos, Notizen: was immer befragt werden soll, mit allen Ordnern darin. Die Dateien werden nur gelesen; keine wird geändert, verschoben oder gelöscht.",
      button: "Einen Ordner wählen",
      onlyLooking: "Nur umsehen?",
      exampleIs:
        " Das Beispiel sind die Papiere einer erfundenen Familie: 58 Dateien in 15 Formaten, schnell gelesen.",
      tryExample: "Das Beispiel ausprobieren",
    },

    folders: {
      looking: "Die Ordner werden angesehen",
      inside: () => "Ordner hierin",
      none: "Keine Ordner hierin.",
      way: "Wo dieser Ordner liegt",
      machine: "Dieser Rechner",
      home: "Persönlicher Ordner",
      yourHome: "Den persönlichen Ordner",
      typePath: "Oder den Pfad eingeben",
      open: "Öffnen",
      choose: (folder: string) => `${folder} wählen`,
    },

    models: {
      fetch: "Die Modelle holen",
      title: "Die Modelle",
      looking: "Die Modelle werden gesucht",
      allHere: "Alles Nötige ist auf diesem Rechner; es muss nichts geholt werden.",
      see: "Zu den Modellen",
      what: "Kleine Modelle erledigen die Arbeit auf diesem Rechner. Sie werden einmal geholt, von den hier genannten Orten; danach ist kein Netz nötig, und nichts verlässt diesen Rechner.",
      model: "Modell",
      licence: "Lizenz",
      from: "Von",
      size: "Größe",
      here: "schon da",
      purposes: {
        embed: "Findet Textstellen",
        chat: "Schreibt Antworten",
        vision: "Beschreibt Fotos",
      },
      inAll: (total: string, free: string) =>
        `${total} insgesamt. ${free} sind auf diesem Laufwerk frei.`,
      noRoom: "Auf dem Laufwerk ist nicht genug Platz.",
      makeRoom: "Platz schaffen, dann diese Seite neu laden.",
      fetchAll: (size: string) => `${size} holen`,
      onlySearch: (size: string) => `Vorerst nur die Suche, ${size}`,
      waits: "Der Ordner wird gelesen, sobald das Modell für die Suche da ist.",
      failed: (name: string) => `${name} konnte nicht geholt werden.`,
    },

    read: {
      ask: "Fragen",
      what: "Hier ist zu sehen, wie der Ordner gelesen wird. Was gelesen ist, lässt sich sofort durchsuchen, lange vor dem Ende.",
      title: "Der Ordner wird gelesen",
      beginning: "Es geht los",
      failed: "Das Lesen ist fehlgeschlagen.",
      stopped: "Das Lesen wurde angehalten.",
      goOn: "Weiter",
      kept: "Was bis dahin gelesen wurde, bleibt.",
      found: {
        running: "Die Suche geht schon.",
        done: "Der Ordner ist gelesen.",
        idle: "Der Ordner ist gelesen.",
        failed: "Was gelesen wurde, wird gefunden.",
        cancelled: "Was gelesen wurde, wird gefunden.",
      },
      canBeFound: (files: number, passages: number) =>
        `${count(files, "Datei", "Dateien")} und ${count(passages, "Textstelle", "Textstellen")} lassen sich finden.`,
      textsFound: "Alle Texte lassen sich finden; Bilder folgen.",
      search: "Durchsuchen",
      orSee: " oder nachsehen, ",
      whichFiles: (n: number) => `welche ${count(n, "Datei", "Dateien")}`,
      notWhole: " nicht ganz gelesen werden konnten",
      question: "Eine Frage stellen",
      needs: (name: string, size: string) =>
        `Antworten brauchen ${name}, ${size}: in Schritt 2 holen, sonst holt es die erste Frage und wartet darauf.`,
      ofExample: [
        "Wie lang ist unsere Kündigungsfrist als Mieter?",
        "Wie war der Stand des Gaszählers bei der Übergabe der Wohnung?",
        "Der Boiler zeigt E04, was bedeutet das?",
      ],
      ofAny: [
        "Wie viele PDF-Dateien gibt es?",
        "Zeig mir die fünf neuesten Dateien",
        "Welche Datei ist die größte?",
      ],
    },
  },
};
