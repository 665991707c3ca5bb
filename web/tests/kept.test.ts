import { afterEach, describe, expect, test, vi } from "vitest";
import { copyText } from "../src/ui/copy";
import { keep, kept } from "../src/ui/kept";

afterEach(() => {
  keep("theme", null);
  vi.unstubAllGlobals();
});

/** Storage that holds `before`, and takes nothing more. */
function full(before: Record<string, string>): Storage {
  const held = new Map(Object.entries(before));
  return {
    getItem: (key: string) => held.get(key) ?? null,
    setItem: () => {
      throw new DOMException("full", "QuotaExceededError");
    },
    removeItem: (key: string) => void held.delete(key),
  } as unknown as Storage;
}

describe("what the browser keeps", () => {
  test("is the newest value, though storage is full and has an older one", () => {
    vi.stubGlobal("localStorage", full({ theme: "light" }));
    expect(kept("theme")).toBe("light");
    keep("theme", "dark");
    expect(kept("theme")).toBe("dark");
    keep("theme", null);
    expect(kept("theme")).toBeNull();
  });

  test("is kept for the time of the page where storage is forbidden", () => {
    vi.stubGlobal("localStorage", undefined);
    expect(kept("theme")).toBeNull();
    keep("theme", "dark");
    expect(kept("theme")).toBe("dark");
    keep("theme", null);
    expect(kept("theme")).toBeNull();
  });
});

describe("copying", () => {
  /** A page with one field, that tells what was copied out of it and what had the focus last. */
  function page(allowed: boolean) {
    const told = { copied: null as string | null, focused: false, left: 0 };
    class Element {
      focus() {
        told.focused = true;
      }
    }
    const field = {
      value: "",
      style: {},
      select: () => undefined,
      remove: () => {
        told.left -= 1;
      },
    };
    vi.stubGlobal("HTMLElement", Element);
    vi.stubGlobal("document", {
      activeElement: new Element(),
      createElement: () => field,
      body: {
        append: () => {
          told.left += 1;
        },
      },
      execCommand: () => {
        if (allowed) told.copied = field.value;
        return allowed;
      },
    });
    return told;
  }

  test("needs no clipboard of the browser's, and gives the focus back", async () => {
    vi.stubGlobal("navigator", {});
    const told = page(true);
    await copyText("An answer [1]");
    expect(told).toEqual({ copied: "An answer [1]", focused: true, left: 0 });
  });

  test("goes on where the clipboard is forbidden", async () => {
    const writeText = () => Promise.reject(new DOMException("no", "NotAllowedError"));
    vi.stubGlobal("navigator", { clipboard: { writeText } });
    const told = page(true);
    await copyText("An answer");
    expect(told.copied).toBe("An answer");
  });

  test("says so where nothing was copied", async () => {
    vi.stubGlobal("navigator", {});
    const told = page(false);
    await expect(copyText("An answer")).rejects.toThrow();
    expect(told).toEqual({ copied: null, focused: true, left: 0 });
  });
});
