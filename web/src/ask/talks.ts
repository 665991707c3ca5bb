import { say } from "../language";
// Conversations that this page has shown, kept above its parts: whoever leaves Ask and comes back,
// reloads, or loses the connection finds the answer. A turn belongs to the server; this follows it.

import { ApiError, change, get, OfflineError, request } from "../api/client";
import { lines } from "../api/stream";
import type { ConversationItem, TurnEvent, TurnState, WholeConversation } from "../api/types";
import { parsed, type Scope } from "./scope";
import { after, begun, kept, type Turn } from "./turn";

export interface Talk {
  library: string;
  /** Null until the server has given it one, or where it cannot be kept. */
  id: string | null;
  turns: Turn[];
  loading: boolean;
  error: unknown;
}

export interface Asked {
  thorough: boolean;
  scope: Scope;
  /** The strategy by which the answer is made; null: as set. */
  way: string | null;
}

const RETRY_MS = 1_500; // while the server is away

/** One conversation, and the turn of it that is followed. */
export class Conversation {
  private talk: Talk;
  private readonly listeners = new Set<() => void>();
  private readonly seen = new Set<string>(); // turns of the server that were followed
  private asking = false; // until the server has the question
  private early = false; // stopped before it was known by which name the server has the question
  private following: { job: string; control: AbortController } | null = null;

  constructor(
    library: string,
    id: string | null,
    private readonly changed: () => void,
  ) {
    this.talk = { library, id, turns: [], loading: false, error: null };
  }

  readonly subscribe = (tell: () => void) => {
    this.listeners.add(tell);
    return () => {
      this.listeners.delete(tell);
      if (this.listeners.size === 0) this.pause();
    };
  };

  readonly state = () => this.talk;

  /** Read what was kept, and follow what is being answered. */
  async load(): Promise<void> {
    const { library, id } = this.talk;
    if (!id || this.busy) return;
    this.set({ loading: this.talk.turns.length === 0, error: null });
    try {
      // In this order: a turn that ends in between is known as ended, or is kept whole.
      const { turns: known } = await get<{ turns: TurnState[] }>("/turns", { library });
      const turns = await this.read();
      if (this.busy) return;
      const jobs = known.filter((turn) => turn.conversation === id);
      const job = jobs.find((turn) => turn.state === "running");
      for (const { id, state } of jobs) if (state !== "running") this.seen.add(id);
      if (job) {
        const last = turns.at(-1);
        if (last?.question === job.question && last.state === "broken") turns.pop();
        const asked = begun(job.question, parsed(job.scope), Date.parse(job.asked));
        this.set({ turns: [...turns, asked], loading: false });
        void this.follow(job.id);
      } else {
        this.early = false; // it had ended
        this.set({ turns, loading: false });
      }
    } catch (error) {
      this.set({ error, loading: false });
    }
  }

  /** A turn that another tab began, or that ended while nobody here looked. */
  heard(known: TurnState[]): void {
    const { id } = this.talk;
    const unseen = id && known.some((turn) => turn.conversation === id && !this.seen.has(turn.id));
    if (unseen) void this.load();
  }

  /** Whether an answer is being written: then nothing else can be asked. */
  get answering(): boolean {
    return this.talk.turns.at(-1)?.state === "running";
  }

  /** Ask; gives the conversation's id as soon as there is one. Nothing while it is answering. */
  async ask(question: string, asked: Asked, onBegun: (id: string) => void): Promise<void> {
    if (this.answering) return;
    this.early = false;
    this.asking = true;
    const before = this.talk.turns.filter((turn) => !(isLocal(turn) && turn.question === question));
    this.set({ turns: [...before, begun(question, asked.scope)], error: null, loading: false });
    try {
      if (!this.talk.id) {
        const made = await this.kept();
        if (made) {
          this.set({ id: made.id });
          onBegun(made.id);
        }
      }
      const job = await change<TurnState>("POST", "/turns", {
        query: question,
        library: this.talk.library,
        conversation: this.talk.id,
        scope: asked.scope.paths,
        since: asked.scope.from,
        until: asked.scope.to,
        thorough: asked.thorough || null,
        strategy: asked.way,
      });
      this.changed();
      this.asking = false;
      // Who has left finds it on coming back.
      if (this.listeners.size > 0 || !this.talk.id) await this.follow(job.id);
      else if (this.early) await stopped(job.id);
    } catch (error) {
      this.asking = false;
      this.early = false;
      this.update((turn) => ({ ...turn, state: "broken", status: null }));
      if (!(error instanceof OfflineError)) this.set({ error });
      this.changed();
    }
  }

  /** Stop the turn that is being answered. */
  async stop(): Promise<void> {
    this.early = !this.following;
    if (this.following) await stopped(this.following.job);
  }

  rate(turn: Turn, rating: "up" | "down" | null): void {
    const { library, id } = this.talk;
    if (!id || turn.n === null) return;
    this.set({
      turns: this.talk.turns.map((one) => (one.n === turn.n ? { ...one, rating } : one)),
    });
    const path = `/libraries/${library}/conversations/${id}/turns/${turn.n}/feedback`;
    change("POST", path, { rating }).catch((error) => this.set({ error }));
  }

  /** A new conversation; without one, because it cannot be kept, the question is answered still. */
  private async kept(): Promise<Pick<ConversationItem, "id"> | null> {
    try {
      return await change<ConversationItem>(
        "POST",
        `/libraries/${this.talk.library}/conversations`,
      );
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== "conversations_not_available") throw error;
      this.set({ error });
      return null;
    }
  }

  private get busy(): boolean {
    return this.asking || this.following !== null;
  }

  /** Nobody looks: the connection is left to others, and the answer goes on without. */
  private pause(): void {
    if (!this.following || !this.talk.id) return;
    this.following.control.abort();
    this.seen.delete(this.following.job);
    this.following = null;
  }

  /** Take in the events of a turn to its end, however often the connection breaks. */
  private async follow(job: string): Promise<void> {
    const control = new AbortController();
    this.following = { job, control };
    this.seen.add(job);
    if (this.early) void stopped(job);
    this.early = false;
    const known = await events(
      job,
      control.signal,
      (event) => this.update((turn) => after(turn, event)),
      () => {
        this.update((turn) => ({ ...turn, status: say.ask.away }));
        this.changed();
      },
    );
    if (control.signal.aborted) return;
    this.following = null;
    if (!known) {
      // The server was started anew: what it had said stands in the conversation.
      this.update((turn) => ({ ...turn, state: "broken", status: null }));
    }
    this.changed();
    // What the server kept has numbers, by which a turn can be rated.
    const turns = this.talk.id ? await this.read().catch(() => []) : [];
    const own = this.talk.turns.filter((turn) => !isLocal(turn)).length;
    if (!this.busy && turns.length >= own && turns.length > 0) this.set({ turns });
  }

  /** The turns that the server kept. */
  private async read(): Promise<Turn[]> {
    const { library, id } = this.talk;
    const whole = await get<WholeConversation>(`/libraries/${library}/conversations/${id}`);
    return whole.turns.map(kept);
  }

  private update(changed: (turn: Turn) => Turn): void {
    const { turns } = this.talk;
    const last = turns.at(-1);
    if (last) this.set({ turns: [...turns.slice(0, -1), changed(last)] });
  }

  private set(part: Partial<Talk>): void {
    this.talk = { ...this.talk, ...part };
    for (const tell of this.listeners) tell();
  }
}

/** Whether a turn never came to the server. */
function isLocal(turn: Turn): boolean {
  return turn.n === null && turn.state === "broken" && turn.steps.length === 0;
}

async function stopped(job: string): Promise<void> {
  await change("DELETE", `/turns/${job}`).catch(() => undefined);
}

/**
 * Each event of a turn once, whatever happens to the connection. False where the server does not
 * know the turn any more.
 */
export async function events(
  job: string,
  signal: AbortSignal,
  take: (event: TurnEvent) => void,
  away: () => void = () => undefined,
): Promise<boolean> {
  let count = 0;
  while (!signal.aborted) {
    try {
      const response = await request(`/turns/${job}/events?after=${count}`, { signal });
      if (response.status === 404) return false;
      if (response.ok && response.body) {
        for await (const event of lines<TurnEvent>(response.body)) {
          count += 1;
          take(event);
          if (event.type === "complete" || event.type === "stopped") return true;
        }
      }
    } catch (error) {
      if (signal.aborted) return true;
      if (!(error instanceof OfflineError || error instanceof TypeError)) throw error;
    }
    away();
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
  return true;
}
