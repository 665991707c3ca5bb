import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { EVERYTHING } from "../src/ask/scope";
import { Conversation } from "../src/ask/talks";

const HOW = { thorough: false, scope: EVERYTHING, way: null };
const none = () => undefined;
const JOB = { id: "j1", conversation: "c1", question: "one", scope: null };

/** A server that answers when it is told to: what it was asked, and how each is answered. */
let asked: { what: string; answer: (body: string) => void }[] = [];

async function answer(what: string, body: unknown): Promise<void> {
  const found = await vi.waitUntil(() => asked.find((one) => one.what.startsWith(what)));
  asked = asked.filter((one) => one !== found);
  found.answer(typeof body === "string" ? body : JSON.stringify(body));
  await new Promise((taken) => setTimeout(taken)); // all that the answer leads to at once
}

const isAsked = (what: string) => asked.some((one) => one.what.startsWith(what));

beforeEach(() => {
  asked = [];
  vi.stubGlobal("fetch", (path: string, { method = "GET" }: RequestInit) => {
    return new Promise<Response>((answered) => {
      const answer = (body: string) => answered(new Response(body));
      asked.push({ what: `${method} ${path}`, answer });
    });
  });
});
afterEach(() => vi.unstubAllGlobals());

describe("a turn that is stopped", () => {
  test("before the server has its question is stopped once it has it", async () => {
    const talk = new Conversation("home", null, none);
    talk.subscribe(none);
    void talk.ask("one", HOW, none);
    await talk.stop();
    await answer("POST /libraries/home/conversations", { id: "c1" });
    await answer("POST /turns", JOB);
    await answer("DELETE /turns/j1", "");
    await answer("GET /turns/j1/events", '{"type":"stopped"}\n');
    await vi.waitUntil(() => talk.state().turns[0]?.state === "stopped");
  });

  test("by who has just come back is stopped once it is known which it is", async () => {
    const talk = new Conversation("home", "c1", none);
    const leave = talk.subscribe(none);
    void talk.ask("one", HOW, none);
    leave();
    await answer("POST /turns", JOB);
    talk.subscribe(none);
    void talk.load();
    await talk.stop();
    await answer("GET /turns?", { turns: [{ ...JOB, state: "running" }] });
    await answer("GET /libraries/home/conversations/c1", { turns: [] });
    await answer("DELETE /turns/j1", "");
  });

  test("too late stops no other one", async () => {
    const talk = new Conversation("home", "c1", none);
    talk.subscribe(none);
    void talk.load();
    await talk.stop();
    await answer("GET /turns?", { turns: [{ ...JOB, state: "done" }] });
    await answer("GET /libraries/home/conversations/c1", { turns: [] });
    await vi.waitUntil(() => !talk.state().loading);
    void talk.load();
    await answer("GET /turns?", { turns: [{ ...JOB, id: "j2", state: "running" }] });
    await answer("GET /libraries/home/conversations/c1", { turns: [] });
    await vi.waitUntil(() => isAsked("GET /turns/j2/events"));
    expect(isAsked("DELETE")).toBe(false);
  });
});

test("a question that follows at once is followed once", async () => {
  const talk = new Conversation("home", "c1", none);
  talk.subscribe(none);
  void talk.ask("one", HOW, none);
  await answer("POST /turns", JOB);
  await answer("GET /turns/j1/events", '{"type":"stopped"}\n');
  await vi.waitUntil(() => isAsked("GET /libraries/home/conversations/c1"));
  void talk.ask("two", HOW, none);
  await answer("GET /libraries/home/conversations/c1", { turns: [] });
  const second = { ...JOB, id: "j2", question: "two", state: "running" };
  await vi.waitUntil(() => isAsked("POST /turns"));
  talk.heard([second] as never); // of the list of all turns, before the answer to the question
  await answer("POST /turns", second);
  await vi.waitUntil(() => isAsked("GET /turns/j2/events"));
  expect(isAsked("GET /turns?")).toBe(false);
  expect(asked.filter(({ what }) => what.includes("j2/events"))).toHaveLength(1);
});
