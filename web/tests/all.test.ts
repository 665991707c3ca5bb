import { describe, expect, test } from "vitest";
import type { LibraryItem, SyncState } from "../src/api/types";
import { ALL, libraryCalled } from "../src/app/library";
import { asOne, reportOf } from "../src/library/sync";

const library = (name: string, more: Partial<LibraryItem> = {}): LibraryItem => ({
  name,
  title: null,
  roots: [`/home/mara/${name}`],
  files: 2,
  passages: 3,
  updated: null,
  problem: null,
  default: false,
  exclude: [],
  indexed: true,
  ...more,
});

const sync = (state: SyncState["state"], added: number | null = null): SyncState => ({
  library: "a",
  state,
  progress: null,
  report:
    added === null
      ? null
      : { added, changed: 0, renamed: 0, deleted: 0, seconds: 1, notice: null, unreadable: [] },
  error: null,
  would_drop: false,
});

describe("all libraries at once", () => {
  test("are as current as the one that was brought up to date last", () => {
    const [early, late] = ["2026-11-25T04:10:07+00:00", "2026-11-26T04:10:07+00:00"];
    const known = [library("a", { updated: early }), library("b", { updated: late }), library("c")];
    expect(libraryCalled(ALL, known)).toMatchObject({ name: ALL, files: 6, updated: late });
  });

  test("are there as long as there is one", () => {
    expect(libraryCalled(ALL, [library("a")])?.name).toBe(ALL);
    expect(libraryCalled(ALL, [])).toBeNull();
    expect(libraryCalled("gone", [library("a")])?.name).toBe("a");
  });

  test("tell of the sync that runs, else what the last ones did together", () => {
    expect(asOne([sync("done", 1), sync("running")]).state).toBe("running");
    expect(reportOf(asOne([sync("done", 1), sync("idle"), sync("done", 2)]))?.added).toBe(3);
    expect(asOne([sync("idle"), sync("idle")]).report).toBeNull();
    const failed = sync("failed");
    expect(asOne([failed])).toBe(failed);
  });
});
