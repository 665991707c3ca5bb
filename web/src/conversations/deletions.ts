// Deletions that can still be taken back. Nothing is sent before the time is over or one leaves.

import type { ConversationItem } from "../api/types";

export interface Deletion {
  item: ConversationItem;
  state: "waiting" | "sending" | "failed";
  error: unknown;
}

export const WAIT = 6000; // ms in which a deletion can be taken back

/** `send` deletes for good; `leaving`: the page may be gone before the answer comes. */
export class Deletions {
  #entries: readonly Deletion[] = [];
  #timers = new Map<string, ReturnType<typeof setTimeout>>();
  #listeners = new Set<() => void>();

  constructor(private readonly send: (item: ConversationItem, leaving: boolean) => Promise<void>) {}

  /** For `useSyncExternalStore`. */
  subscribe = (tell: () => void): (() => void) => {
    this.#listeners.add(tell);
    return () => this.#listeners.delete(tell);
  };

  entries = (): readonly Deletion[] => this.#entries;

  /** Delete `item` unless `undo` is called in time. */
  begin(item: ConversationItem): void {
    clearTimeout(this.#timers.get(item.id));
    this.#put({ item, state: "waiting", error: null });
    this.#timers.set(
      item.id,
      setTimeout(() => this.#finish(item, false), WAIT),
    );
  }

  /** Take it back, or give up one that failed. */
  undo(id: string): void {
    clearTimeout(this.#timers.get(id));
    this.#timers.delete(id);
    this.#drop(id);
  }

  /** Try one that failed once more, at once. */
  retry(id: string): void {
    const failed = this.#entries.find(({ item }) => item.id === id);
    if (failed?.state === "failed") this.#finish(failed.item, false);
  }

  /** Send at once what still waits. */
  leave(): void {
    for (const { item, state } of this.#entries) {
      if (state === "waiting") this.#finish(item, true);
    }
  }

  async #finish(item: ConversationItem, leaving: boolean): Promise<void> {
    clearTimeout(this.#timers.get(item.id));
    this.#timers.delete(item.id);
    this.#put({ item, state: "sending", error: null });
    try {
      await this.send(item, leaving);
      this.#drop(item.id);
    } catch (error) {
      this.#put({ item, state: "failed", error });
    }
  }

  #put(entry: Deletion): void {
    const others = this.#entries.filter(({ item }) => item.id !== entry.item.id);
    this.#tell([...others, entry]);
  }

  #drop(id: string): void {
    this.#tell(this.#entries.filter(({ item }) => item.id !== id));
  }

  #tell(entries: readonly Deletion[]): void {
    this.#entries = entries;
    for (const tell of this.#listeners) tell();
  }
}
