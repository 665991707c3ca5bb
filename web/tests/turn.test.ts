import { describe, expect, it } from "vitest";
import type {
  Complete,
  Decision,
  Extract,
  ResultEvent,
  TurnEvent,
  TurnItem,
} from "../src/api/types";
import {
  after,
  begun,
  extractsOf,
  foldedOf,
  inOrder,
  kept,
  sentencesOf,
  sourceOf,
  sourcesOf,
  tableOf,
  told,
} from "../src/ask/turn";

const decision = (step: number): Decision => ({
  type: "decision",
  step,
  tool: "semantic_search",
  inputs: { query: "deposit" },
  reasoning: "asks what is in the files",
  by: "router",
  seconds: 0.1,
});

const result = (step: number, payload_type = "passages"): ResultEvent => ({
  type: "result",
  step,
  tool: "semantic_search",
  name: "found",
  payload_type,
  objects: [{ file: "a.pdf" }],
  metadata: {},
  message: "1 passage",
  seconds: 0.2,
});

const complete: Complete = {
  type: "complete",
  version: 1,
  answer: "The deposit is 3,540 euros [1].",
  found: true,
  outcome: "answered",
  signals: {},
  sources: [],
  confidence: "high",
  grounding: 1,
  corrected: false,
  timings: { total: 2 },
  model_calls: 1,
  tokens: { prompt: 10, cached: 0, completion: 5 },
};

const item = (question: string, events: TurnEvent[]): TurnItem => ({
  n: 3,
  question,
  scope: "recipes\n2024-01-01..",
  asked: "2024-03-01T10:00:00+00:00",
  events,
  rating: "up",
  comment: null,
});

const play = (...events: TurnEvent[]) => events.reduce(after, begun("How high?"));

describe("a turn", () => {
  it("puts results and errors to the step that they belong to", () => {
    const error: TurnEvent = {
      type: "error",
      message: "nothing found",
      recoverable: true,
      suggestion: "try other words",
      step: 1,
      tool: "semantic_search",
    };
    const turn = play(decision(1), error, decision(2), result(2));
    expect(turn.steps.map((s) => [s.errors.length, s.results.length])).toEqual([
      [1, 0],
      [0, 1],
    ]);
    expect(turn.errors).toEqual([]);
  });

  it("shows the words as they come, and the final answer in their place", () => {
    const words = play(
      { type: "token", content: "The deposit" },
      { type: "token", content: " is high" },
    );
    expect(words.text).toBe("The deposit is high");
    expect(words.state).toBe("running");
    expect(after(words, complete)).toMatchObject({ text: complete.answer, state: "done" });
  });

  it("shows what it is doing, but not what only a developer looks at", () => {
    const status: TurnEvent = { type: "status", message: "loading the model", debug: false };
    expect(play(status).status).toBe("loading the model");
    expect(play(status, { ...status, message: "prompt", debug: true }).status).toBe(
      "loading the model",
    );
    expect(play(status, decision(1)).status).toBeNull();
  });

  it("was broken off where its end was not kept", () => {
    expect(kept(item("How high?", [decision(1)])).state).toBe("broken");
    const turn = kept(item("How high?", [decision(1), complete]));
    expect(turn).toMatchObject({ state: "done", n: 3, rating: "up" });
    expect(turn.scope).toEqual({ paths: ["recipes"], from: "2024-01-01", to: null });
  });

  it("has the last table that a step found", () => {
    expect(tableOf(play(decision(1), result(1)))).toBeNull();
    expect(tableOf(play(decision(1), result(1, "table")))).toEqual(result(1, "table").objects);
  });
});

const extract = (n: number): Extract => ({
  n,
  file: `${n}.md`,
  page: null,
  line: 3,
  line_end: 4,
  headings: [],
  text: "👋 Rent. The deposit is 3,540 euros. Heating.",
  marks: [[8, 36]],
  orders: [],
  boxes: [],
});

describe("the sentences of an answer", () => {
  const gave = (answer: string, more: Partial<ResultEvent> = {}, files: string[] = []) =>
    play(
      decision(1),
      { ...result(1), tool: "query", ...more },
      {
        ...complete,
        answer,
        sources: files.map((file, i) => ({
          n: i + 1,
          file,
          page: null,
          line: null,
          line_end: null,
          quote: "",
          cited: true,
        })),
      },
    );

  it("leave out the lines of groups, which have bars", () => {
    const groups = [
      { name: "2022", value: 5, said: "5.00 EUR" },
      { name: "2023", value: 15, said: "15.00 EUR" },
    ];
    const text = "20.00 EUR in all, from 4 bills:\n2022   5.00 EUR\n2023  15.00 EUR\n1 has none.";
    expect(sentencesOf(gave(text, { metadata: { groups } }))).toBe(
      "20.00 EUR in all, from 4 bills.\n1 has none.",
    );
  });

  it("leave out the rows of a table", () => {
    const text = "2 bills:\n- a.pdf [1]\n- b.pdf [2]\n1 of 2 has no total.";
    expect(sentencesOf(gave(text, { payload_type: "table" }))).toBe(
      "2 bills.\n1 of 2 has no total.",
    );
  });

  it("do not name the one source, which stands below", () => {
    expect(sentencesOf(gave("2.00 EUR: a/b.pdf [1]", {}, ["a/b.pdf"]))).toBe("2.00 EUR [1]");
    const two = "2 days: a.pdf [1], b.pdf [2]";
    expect(sentencesOf(gave(two, {}, ["a.pdf", "b.pdf"]))).toBe(two);
  });

  it("begin with a day that is no list", () => {
    expect(sentencesOf(gave("12. Mai 2024"))).toBe("12\\. Mai 2024");
  });

  it("say what is folded", () => {
    expect(foldedOf(gave("2 files fit."))).toBeNull();
    const metadata = { folded: "120 files", behind: 120 };
    expect(foldedOf(gave("120 files fit.", { metadata }))).toEqual({
      said: "120 files",
      total: 120,
    });
  });
});

describe("evidence", () => {
  const found = (n: number): TurnEvent => ({
    type: "evidence",
    extracts: [extract(n)],
    seconds: 0,
  });

  it("is added to, and stays when the answer is complete", () => {
    const turn = [found(1), found(2), complete].reduce(after, begun("deposit?"));
    expect(turn.extracts.map(({ n }) => n)).toEqual([1, 2]);
    expect(turn.text).toBe(complete.answer);
  });

  it("is what the numbers point to until the sources come", () => {
    const turn = [found(1)].reduce(after, begun("deposit?"));
    expect(sourcesOf(turn)).toMatchObject([{ n: 1, quote: "The deposit is 3,540 euros. " }]);
    expect(sourcesOf(after(turn, complete))).toEqual([]);
  });
});

describe("what is marked", () => {
  const text = "👋 Deductible 150 euros\nPremium 148.20 euros a year\nNotice three months";
  const found: Extract = { ...extract(1), text, marks: [[2, 22]] };
  const source = { ...sourceOf(found), quote: "Premium 148.20 euros a year" };
  const marked = (cited: boolean) => {
    const turn = { ...begun("compare"), extracts: [found] };
    const end = { ...turn, complete: { ...complete, sources: [{ ...source, cited }] } };
    return extractsOf(end)[0]?.marks.map(([a, b]) => Array.from(text).slice(a, b).join(""));
  };

  it("is what the answer cites, once there is one", () => {
    expect(marked(true)).toEqual(["Premium 148.20 euros a year"]);
  });

  it("is what decides where nothing of it is cited", () => {
    expect(marked(false)).toEqual(["Deductible 150 euros"]);
  });
});

describe("choices", () => {
  it("are kept until the end, for the person to click one", () => {
    const asked: TurnEvent = {
      type: "choices",
      message: "Which one do you mean?",
      choices: [{ n: 1, file: "north.md", page: null, title: "North", quote: "It came to 4." }],
    };
    const turn = [asked, complete].reduce(after, begun("receivables?"));
    expect(turn.choices.map(({ file }) => file)).toEqual(["north.md"]);
  });
});

describe("whatever the connection does to the events", () => {
  const whole: TurnEvent[] = [
    decision(1),
    { type: "status", message: "Reading", debug: false },
    result(1, "table"),
    { type: "evidence", extracts: [], seconds: 0.1 },
    decision(2),
    { type: "error", message: "no", recoverable: true, suggestion: null, step: 2, tool: null },
    { type: "token", content: "The " },
    { type: "token", content: "deposit" },
    complete,
  ];

  /** The same numbers each time (Park and Miller, "Random number generators", CACM 1988). */
  const chance = (seed: number) => {
    let state = seed;
    return () => {
      state = (state * 48_271) % 2_147_483_647;
      return state / 2_147_483_647;
    };
  };

  it("makes a turn of them, in any order, twice, or not at all", () => {
    for (let seed = 1; seed <= 200; seed++) {
      const next = chance(seed);
      const order = whole.map((event) => ({ event, at: next() })).sort((a, b) => a.at - b.at);
      const told = order.flatMap(({ event }) => Array(Math.floor(next() * 3)).fill(event));
      const turn = kept(item("How high is the deposit?", told));
      const ended = told.some((event) => event.type === "complete");
      expect(turn.state).toBe(ended ? "done" : "broken");
      if (ended && told.at(-1)?.type === "complete") expect(turn.text).toBe(complete.answer);
      expect(sourcesOf(turn)).toEqual([]);
      expect(tableOf(turn) === null || Array.isArray(tableOf(turn))).toBe(true);
    }
  });
});

describe("steps as they are told", () => {
  it("are one where the same was looked for, with all that was found", () => {
    const other = { ...decision(3), inputs: { query: "rent" } };
    const events = [decision(1), result(1), decision(2), result(2), other, result(3)];
    const steps = told(events.reduce(after, begun("deposit?")).steps);
    expect(steps.map((step) => step.decision.inputs.query)).toEqual(["deposit", "rent"]);
    expect(steps.map((step) => step.results.length)).toEqual([2, 1]);
    expect(steps[0]?.decision.seconds).toBeCloseTo(0.2);
  });
});

describe("a question asked elsewhere", () => {
  it("has taken as long as it has, here too", () => {
    const before = begun("deposit?", undefined, Date.now() - 8_000).since;
    expect(performance.now() - before).toBeGreaterThanOrEqual(7_990);
  });
});

describe("numbers of sources", () => {
  const found: TurnEvent = { type: "evidence", extracts: [1, 2, 3].map(extract), seconds: 0.1 };
  const cited = [1, 3].map((n) => ({ ...sourceOf(extract(n)), cited: true }));

  it("are counted as the answer has them, its other brackets aside", () => {
    const answer = "Five years [3], says a note [12]. Two by law [1]. Again five [3].";
    const end = { ...complete, answer, sources: cited };
    const turn = inOrder([found, end as TurnEvent].reduce(after, begun("How long?")));
    expect(turn.text).toBe("Five years [1], says a note [12]. Two by law [2]. Again five [1].");
    const files = (told: { n: number; file: string }[]) => told.map(({ n, file }) => [n, file]);
    const both = [
      [1, "3.md"],
      [2, "1.md"],
    ];
    expect(files(turn.extracts)).toEqual([...both, [3, "2.md"]]);
    expect(files(sourcesOf(turn))).toEqual(both);
  });

  it("stay as they are before there is an answer", () => {
    const turn = [found].reduce(after, begun("How long?"));
    expect(inOrder(turn)).toEqual(turn);
  });
});
