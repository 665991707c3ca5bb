import { describe, expect, it } from "vitest";
import type { FileItem, FileStatus, ModelItem, Setting } from "../src/api/types";
import { moved } from "../src/library/files/useRows";
import { folderTree, patternFor, patternInWords } from "../src/library/folders";
import { byRole, bytesLeft, missing, secondsLeft, verdict } from "../src/library/models/models";
import { explain, problemsOf } from "../src/library/problems";
import { ALL, filtered, firstOrder, keyOf, sorted } from "../src/library/rows";
import {
  advanced,
  asItIs,
  fixedBy,
  grouped,
  inWords,
  parse,
  sentence,
  withChoices,
} from "../src/library/settings/settings";
import { ago, day, howFar, left, rate, size, textsAreRead, took } from "../src/library/words";

function file(path: string, more: Partial<FileItem> = {}): FileItem {
  return {
    file: path,
    root: "/home/mara",
    status: "indexed",
    reason: null,
    why: null,
    format: "pdf",
    title: null,
    date: null,
    modified: "2024-03-01T10:00:00+01:00",
    size: 1000,
    pages: 1,
    passages: 1,
    ...more,
  };
}

const bad = (path: string, status: FileStatus, reason: string) => file(path, { status, reason });

describe("numbers and moments", () => {
  it("are said in words", () => {
    expect([999, 1000, 999_499, 999_500, 1_117_320_768].map(size)).toEqual([
      "999 bytes",
      "1 kB",
      "999 kB",
      "1 MB",
      "1.12 GB",
    ]);
    expect([0.04, 9.3, 59.6, 125].map(took)).toEqual(["0 s", "9.3 s", "1 min", "2 min 5 s"]);
  });

  it("keep the day of a date, wherever the reader is", () => {
    expect(day("2022-02-04")).toBe("4 Feb 2022");
    expect(day("some day")).toBe("some day");
  });

  it("tell how long ago something was, and after a week its day", () => {
    const now = Date.parse("2024-03-10T12:00:00Z");
    const past = ["2024-03-10T11:59:30Z", "2024-03-10T11:00:00Z", "2024-03-08T11:00:00Z"];
    expect(past.map((moment) => ago(moment, now))).toEqual([
      "just now",
      "1 hour ago",
      "2 days ago",
    ]);
    expect(ago("2024-02-01T12:00:00Z", now)).toBe("on 1 Feb 2024");
  });

  it("promise no more than can be known of what is left", () => {
    expect([3, 41, 170, 9000].map(left)).toEqual([
      "a few seconds left",
      "about 50 seconds left",
      "about 3 minutes left",
      "about 3 hours left",
    ]);
    expect(rate("read", 12.4)).toBe("12 files a second");
    expect(rate("recognize", 0.05)).toBe("3 pages a minute");
    expect(rate("embed", 0)).toBeNull();
    expect(rate("finish", 2)).toBeNull();
  });
});

describe("how far a sync is", () => {
  const progress = { stage: "read", done: 30, total: 58, rate: 12, eta_s: 2.3, current: null };

  it("is told with its speed and what is left", () => {
    expect(howFar(progress)).toEqual(["30 of 58", "12 files a second", "a few seconds left"]);
    expect(howFar({ ...progress, total: null, eta_s: null })).toEqual(["12 files a second"]);
  });

  it("promises nothing about what follows a stage", () => {
    expect(howFar({ ...progress, done: 58 })).toEqual(["58 of 58"]);
  });

  it("lets texts be found while pictures are still read", () => {
    expect(["scan", "read", "embed"].some((stage) => textsAreRead({ ...progress, stage }))).toBe(
      false,
    );
    expect(textsAreRead({ ...progress, stage: "recognize" })).toBe(true);
    expect(textsAreRead(null)).toBe(false);
  });
});

describe("what was not read", () => {
  it.each([
    ["protected by a password", "Protected by a password"],
    ["encrypted in a way that cannot be read", "Protected by a password"],
    ["broken PDF: it cannot be opened", "Damaged, or not what the name says"],
    ["binary content, though named .txt", "Damaged, or not what the name says"],
    ["2 of 9 pages cannot be read", "Damaged, or not what the name says"],
    ["cannot be read (Input/output error)", "Out of reach"],
    ["no permission to read it", "Not allowed to be read"],
    ["took longer than 60 s", "Too large for the limits"],
    ["only 120 of 400 pages read within the limits", "Too large for the limits"],
    ["the vision model took longer than 120 s", "The model for pictures failed"],
    ["4 of 10 pages are scans without text", "Scans whose words are not read"],
    ["archive: what is packed inside is not read", "No documents"],
    ["drawing without text", "Empty"],
  ])("is explained: %s", (reason, title) => {
    expect(explain({ reason, why: reason, status: "failed" }).title).toBe(title);
  });

  it("leads to the models where photos have no description", () => {
    const reason = "no words in it, no vision model to describe it; found by its name and date";
    expect(explain({ reason, why: reason, status: "partial" }).way).toBe("models");
  });

  it("stands for itself where the reason is a new one", () => {
    const odd = { reason: "splitting failed: odd", why: "das Zerlegen ist gescheitert: odd" };
    expect(explain({ ...odd, status: "failed" }).title).toBe("Das Zerlegen ist gescheitert: odd");
    const none = { reason: null, why: null, status: "skipped" } as const;
    expect(explain(none).title).toBe("No reason was given");
  });

  it("is grouped, what failed first and then the larger groups", () => {
    const groups = problemsOf([
      file("fine.pdf"),
      bad("a.mp4", "skipped", "video: it is not read"),
      bad("b.mp3", "skipped", "audio: speech is not read"),
      bad("c.doc", "partial", "old Word format: tables and headings are lost"),
      bad("d.pdf", "failed", "no permission to read it"),
      bad("e.pdf", "failed", "broken PDF: it cannot be opened"),
      bad("f.zip", "failed", "its parser failed (ValueError)"),
    ]);
    expect(groups.map((group) => [group.status, group.files.length])).toEqual([
      ["failed", 2],
      ["failed", 1],
      ["partial", 1],
      ["skipped", 2],
    ]);
  });

  it("is as bad as its worst file", () => {
    const groups = problemsOf([
      bad("a.pdf", "partial", "1 of 9 pages cannot be read"),
      bad("b.pdf", "failed", "broken PDF: it cannot be opened"),
    ]);
    expect(groups.map((group) => group.status)).toEqual(["failed"]);
  });
});

describe("the folders", () => {
  const tree = folderTree([
    file("todo.txt"),
    file("page 10/a.pdf"),
    file("page 2/deep/er/b.pdf"),
    bad("page 2/c.pdf", "failed", "no permission to read it"),
    bad("page 2/deep/d.mp4", "skipped", "video: it is not read"),
  ]);

  it("count what lies in them, however deep", () => {
    expect([tree.files, tree.troubled]).toEqual([5, 1]);
    expect(tree.inside.map((folder) => [folder.name, folder.files, folder.troubled])).toEqual([
      ["page 2", 3, 1],
      ["page 10", 1, 0],
    ]);
    expect(tree.inside[0]?.inside[0]?.inside.map((folder) => folder.path)).toEqual([
      "page 2/deep/er",
    ]);
  });

  it("are left out by patterns that mean nothing but them", () => {
    expect(patternFor("invoices/2024", "folder")).toBe("/invoices/2024/");
    expect(patternFor("a [1]*?\\b", "folder")).toBe("/a \\[1\\]\\*\\?\\\\b/");
    expect(patternFor("notes/odd ", "file")).toBe("/notes/odd\\ ");
  });

  it.each(["invoices/2024", "a [1]*?\\b", "#1", "!x", "odd "])("are named again: %s", (path) => {
    for (const kind of ["folder", "file"] as const) {
      expect(patternInWords(patternFor(path, kind))).toEqual({
        kind: kind === "folder" ? "Folder" : "File",
        text: path,
      });
    }
  });

  it.each(["*.log", "/photos/*/raw/", "drafts", "!keep.txt"])(
    "are not what a pattern of one's own is called: %s",
    (pattern) => {
      expect(patternInWords(pattern)).toEqual({ kind: "Pattern", text: pattern });
    },
  );
});

describe("the list of files", () => {
  const files = [
    file("home/Übergabe 10.docx", { size: 5, date: "2022-02-04" }),
    file("home/Übergabe 2.docx", { size: 7, status: "failed", modified: "2023-01-01T00:00:00Z" }),
    file("homeless/note.md", { size: 6, status: "partial", date: "2024-05-05" }),
  ];
  const paths = (found: FileItem[]) => found.map((item) => item.file);

  it("is narrowed by every word, without regard to case and accents", () => {
    expect(filtered(files, { ...ALL, words: " DOCX uber " })).toHaveLength(2);
    expect(filtered(files, { ...ALL, words: "uber note" })).toHaveLength(0);
    expect(filtered(files, { ...ALL, words: "u\u0308bergabe" })).toHaveLength(2);
  });

  it("is narrowed by folder and status", () => {
    expect(paths(filtered(files, { ...ALL, folder: "home" }))).toHaveLength(2);
    expect(paths(filtered(files, { ...ALL, folder: "home", status: "failed" }))).toEqual([
      "home/Übergabe 2.docx",
    ]);
  });

  it("is ordered by name, date, size and status, both ways", () => {
    const name = sorted(files, firstOrder("name"));
    expect(paths(name)).toEqual([
      "homeless/note.md",
      "home/Übergabe 2.docx",
      "home/Übergabe 10.docx",
    ]);
    expect(sorted(files, { by: "size", down: false }).map((item) => item.size)).toEqual([5, 6, 7]);
    expect(sorted(files, firstOrder("size")).map((item) => item.size)).toEqual([7, 6, 5]);
    expect(paths(sorted(files, firstOrder("date")))[0]).toBe("homeless/note.md");
    expect(sorted(files, firstOrder("status")).map((item) => item.status)).toEqual([
      "failed",
      "partial",
      "indexed",
    ]);
  });

  it("tells files of the same path in two folders apart", () => {
    expect(keyOf(file("a"))).not.toBe(keyOf(file("a", { root: "/other" })));
  });

  it("of ten thousand files is narrowed and ordered while one types", () => {
    const many = Array.from({ length: 10_000 }, (_, n) =>
      file(`folder ${n % 97}/paper ${(n * 7919) % 10_000}.pdf`),
    );
    const begun = performance.now();
    sorted(filtered(many, { ...ALL, words: "paper 1" }), firstOrder("name"));
    expect(performance.now() - begun).toBeLessThan(1500);
  });

  it("is walked with the keyboard, and not beyond its ends", () => {
    const at = { row: 0, column: 0 };
    expect(moved(at, "ArrowUp", 30)).toEqual(at);
    expect(moved(at, "PageDown", 30)).toEqual({ row: 10, column: 0 });
    expect(moved({ row: 25, column: 1 }, "PageDown", 30)).toEqual({ row: 29, column: 1 });
    expect(moved(at, "End", 30)).toEqual({ row: 29, column: 0 });
    expect(moved(at, "ArrowRight", 30)).toEqual({ row: 0, column: 1 });
    expect(moved({ row: 3, column: 1 }, "ArrowRight", 30)).toEqual({ row: 3, column: 1 });
    expect(moved(at, "Enter", 30)).toBeNull();
  });
});

const model = (name: string, more: Partial<ModelItem> = {}): ModelItem => ({
  name,
  role: "chat",
  size: 1000,
  present: false,
  in_use: false,
  recommended: false,
  licence: "MIT",
  source: "somewhere",
  about: "",
  partial_bytes: 0,
  fetching: null,
  error: null,
  pinned_by: "",
  outlook: null,
  ...more,
});

describe("models", () => {
  it("stand by what they do, first the one in use, then those at hand, then the small ones", () => {
    const groups = byRole([
      model("large", { size: 9000 }),
      model("ears", { role: "voice" }),
      model("eyes", { role: "vision" }),
      model("order", { role: "rerank" }),
      model("small", { size: 10 }),
      model("here", { present: true }),
      model("used", { in_use: true, size: 9999 }),
    ]);
    expect(groups.map((group) => group.models.map(({ name }) => name))).toEqual([
      ["used", "here", "small", "large"],
      ["order"],
      ["eyes"],
      ["ears"],
    ]);
  });

  it("say whether they have room here, and are quick enough", () => {
    const outlook = {
      memory: 2e9,
      fits: true,
      quick_enough: true,
      answer_seconds: 7,
    };
    expect(verdict(model("unknown"))).toBeNull();
    expect(verdict(model("good", { outlook }))).toBeNull();
    const unmeasured = { ...outlook, quick_enough: null, answer_seconds: null };
    expect(verdict(model("unmeasured", { outlook: unmeasured }))).toBeNull();
    expect(verdict(model("slow", { outlook: { ...outlook, quick_enough: false } }))).toBe("slow");
    const large = { ...outlook, fits: false, quick_enough: false };
    expect(verdict(model("large", { outlook: large }))).toBe("small");
  });

  it("are missing where they are needed and not there", () => {
    const all = [
      model("chat", { in_use: true }),
      model("embed", { role: "embed", in_use: true, present: true }),
      model("eyes", { role: "vision", in_use: true }),
      model("other"),
    ];
    expect(missing(all).map(({ name }) => name)).toEqual(["chat"]);
    const none = all.map((item) => ({ ...item, present: false }));
    expect(missing(none).map(({ name }) => name)).toEqual(["embed", "chat"]);
  });

  it("cost what is not there yet", () => {
    expect(bytesLeft([model("a"), model("b", { present: true })])).toBe(1000);
    expect(bytesLeft([model("a", { partial_bytes: 400 })])).toBe(600);
    expect(bytesLeft([model("a", { fetching: { done_bytes: 300, total_bytes: 900 } })])).toBe(600);
    expect(bytesLeft([model("a", { size: 0, partial_bytes: 5 })])).toBe(0);
  });

  it("take as long as it went until now, once that can be told", () => {
    expect(secondsLeft({ at: 0, done: 0 }, { at: 500, done: 10 }, 100)).toBeNull();
    expect(secondsLeft({ at: 0, done: 20 }, { at: 4000, done: 20 }, 100)).toBeNull();
    expect(secondsLeft({ at: 0, done: 20 }, { at: 4000, done: 60 }, 100)).toBe(4);
  });
});

describe("settings", () => {
  const setting = (more: Partial<Setting> = {}): Setting => ({
    name: "agent.max_iterations",
    value: 8,
    default: 5,
    description: "tool calls a turn may make",
    origin: "default",
    kind: "int",
    choices: null,
    minimum: 1,
    maximum: 20,
    takes_effect: "now",
    pending: false,
    ...more,
  });

  it("take whole numbers within their bounds", () => {
    expect(parse(setting(), " 12 ")).toEqual({ value: 12 });
    for (const typed of ["", "2.5", "1e1", "twelve", "0", "21", "99999999999999999999"]) {
      expect(parse(setting(), typed)).toHaveProperty("wrong");
    }
    expect(parse(setting({ kind: "text" }), " auto ")).toEqual({ value: "auto" });
    expect(parse(setting({ kind: "text" }), "  ")).toHaveProperty("wrong");
  });

  it("are fixed where something goes before the file", () => {
    expect(fixedBy(setting({ origin: "environment (MANOLE_INDEX__OCR)" }))).toContain(
      "MANOLE_INDEX__OCR",
    );
    expect(fixedBy(setting({ origin: "flag" }))).not.toBeNull();
    expect(fixedBy(setting({ origin: "/home/mara/environment/manole.toml" }))).toBeNull();
    expect(fixedBy(setting())).toBeNull();
  });

  it("go back to what they were, also to not being set", () => {
    expect(asItIs(setting({ origin: "/etc/manole.toml" }))).toBe(8);
    expect(asItIs(setting())).toBeNull();
  });

  it("are told in words", () => {
    expect(sentence(setting({ name: "new.one" }))).toBe("Tool calls a turn may make.");
    expect(inWords(setting({ kind: "bool" }), true)).toBe("on");
    expect(inWords(setting({ name: "agent.strategy", kind: "choice" }), "pipeline")).toBe(
      "In six fixed stages",
    );
    expect(inWords(setting({ name: "new.one", kind: "choice" }), "odd")).toBe("odd");
  });

  it("that few people need are found by any of their words", () => {
    const known = [setting({ name: "model.name" }), setting()];
    const other = { name: "serve.port", description: "port to listen on; 0: a free one" };
    expect(grouped(known).flatMap((group) => group.settings)).toEqual([known[0]]);
    expect(advanced(known, "")).toEqual([known[1]]);
    expect(advanced([other], "listen port")).toEqual([other]);
    expect(advanced([other], "listen model")).toEqual([]);
  });

  it("of a model offer those that are here", () => {
    const name = setting({ name: "model.name", kind: "text", value: "auto" });
    const models = [
      model("here", { present: true }),
      model("away"),
      model("eyes", { role: "vision", present: true }),
    ];
    expect(withChoices(name, models)).toMatchObject({ kind: "choice", choices: ["auto", "here"] });
    expect(withChoices(setting(), models)).toEqual(setting());
  });
});
