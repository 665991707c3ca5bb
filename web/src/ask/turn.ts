// A turn as the screen shows it, made from its events one by one.

import type {
  Choice,
  Complete,
  Decision,
  ErrorEvent,
  Extract,
  ResultEvent,
  Source,
  Span,
  TurnEvent,
  TurnItem,
} from "../api/types";
import { EVERYTHING, parsed, type Scope } from "./scope";
import type { Row } from "./table";

export const NUMBERS = /\[(\d{1,3})\]/g;

/** A tool that was chosen, and what came of it. */
export interface Step {
  decision: Decision;
  results: ResultEvent[];
  errors: ErrorEvent[];
}

export interface Turn {
  question: string;
  /** What of the library it was asked of. */
  scope: Scope;
  /** Its place in the conversation, from 1; null until it is kept. */
  n: number | null;
  state: "running" | "done" | "stopped" | "broken";
  steps: Step[];
  /** What it is doing, in words. */
  status: string | null;
  /** What was found, best first; nothing of it is taken away again. */
  extracts: Extract[];
  /** Files that the question may mean, where it fits several alike. */
  choices: Choice[];
  /** The answer as far as it has been written. */
  text: string;
  /** Errors that belong to no step. */
  errors: ErrorEvent[];
  complete: Complete | null;
  rating: "up" | "down" | null;
  /** When it was begun here, in milliseconds of the page's own clock. */
  since: number;
}

/** A question as it is asked now, or was at a moment (milliseconds since 1970). */
export function begun(question: string, scope: Scope = EVERYTHING, asked = Date.now()): Turn {
  return {
    since: performance.now() - Math.max(0, Date.now() - asked),
    question,
    scope,
    n: null,
    state: "running",
    steps: [],
    status: null,
    extracts: [],
    choices: [],
    text: "",
    errors: [],
    complete: null,
    rating: null,
  };
}

/** The turn after one more event. */
export function after(turn: Turn, event: TurnEvent): Turn {
  switch (event.type) {
    case "decision":
      return {
        ...turn,
        status: null,
        steps: [...turn.steps, { decision: event, results: [], errors: [] }],
      };
    case "result":
      return withStep(turn, event.step, (step) => ({ ...step, results: [...step.results, event] }));
    case "error":
      if (event.step === null) return { ...turn, errors: [...turn.errors, event] };
      return withStep(turn, event.step, (step) => ({ ...step, errors: [...step.errors, event] }));
    case "status":
      return event.debug ? turn : { ...turn, status: event.message };
    case "evidence":
      return { ...turn, extracts: [...turn.extracts, ...event.extracts] };
    case "choices":
      return { ...turn, choices: event.choices };
    case "token":
      return { ...turn, status: null, text: turn.text + event.content };
    case "complete":
      return { ...turn, status: null, state: "done", text: event.answer, complete: event };
    case "stopped":
      return { ...turn, status: null, state: "stopped" };
  }
}

/** A turn that was kept, from all its events. One without an end was broken off. */
export function kept({ question, scope, n, events, rating }: TurnItem): Turn {
  const turn = { ...events.reduce(after, begun(question, parsed(scope))), n, rating };
  return turn.state === "running" ? { ...turn, state: "broken", status: null } : turn;
}

/** A turn whose `[n]` are counted in the order in which the answer first has them. */
export function inOrder(turn: Turn): Turn {
  const sources = turn.complete?.sources ?? [];
  const known = new Set([...turn.extracts, ...sources].map(({ n }) => n));
  const mentioned = Array.from(turn.text.matchAll(NUMBERS), ([, n]) => Number(n));
  const rest = [...known].sort((one, other) => one - other);
  const first = [...new Set([...mentioned.filter((n) => known.has(n)), ...rest])];
  const place = new Map(first.map((n, at) => [n, at + 1]));
  const numbered = (text: string) =>
    text.replace(NUMBERS, (whole, n) =>
      known.has(Number(n)) ? `[${place.get(Number(n))}]` : whole,
    );
  const sorted = <T extends { n: number }>(all: readonly T[]): T[] =>
    all
      .map((one) => ({ ...one, n: place.get(one.n) ?? one.n }))
      .sort((one, other) => one.n - other.n);
  const { complete, text } = turn;
  return {
    ...turn,
    text: numbered(text),
    extracts: sorted(turn.extracts),
    complete: complete && {
      ...complete,
      answer: numbered(complete.answer),
      sources: sorted(sources),
    },
  };
}

/** What was found; where the answer cites words of it, these are marked, and nothing else. */
export function extractsOf({ extracts, complete }: Turn): Extract[] {
  return extracts.map((extract) => {
    const quotes = (complete?.sources ?? []).filter(({ n, cited }) => cited && n === extract.n);
    const lines = quotes.flatMap(({ quote }) => quote.split("\n")).filter((line) => line.trim());
    const places = lines.map((line) => [extract.text.indexOf(line), line] as const);
    const marks = places
      .filter(([at]) => at >= 0)
      .map(([at, line]): Span => {
        const start = Array.from(extract.text.slice(0, at)).length;
        return [start, start + Array.from(line).length];
      });
    return marks.length > 0 ? { ...extract, marks } : extract;
  });
}

/** What the `[n]` of the answer point to: its sources, and before it has ended the extracts. */
export function sourcesOf(turn: Turn): Source[] {
  return turn.complete?.sources ?? turn.extracts.map((extract) => sourceOf(extract));
}

/** An extract as a source: its longest deciding sentence is the quotation, no heading before it. */
export function sourceOf(extract: Extract): Source {
  const longest = extract.marks.toSorted((a, b) => b[1] - b[0] - (a[1] - a[0]))[0];
  const [start, end] = longest ?? [0, 0];
  const quote = Array.from(extract.text).slice(start, end).join("");
  const { n, file, page, line, line_end } = extract;
  return { n, file, page, line, line_end, quote, cited: false };
}

/** The steps as they are told: looking for the same in the same way, however often, is one. */
export function told(steps: readonly Step[]): Step[] {
  const found: Step[] = [];
  for (const step of steps) {
    const same = ({ decision: { tool, inputs } }: Step) =>
      tool === step.decision.tool && subject(inputs) === subject(step.decision.inputs);
    const at = found.findIndex(same);
    const before = found[at];
    if (!before || subject(step.decision.inputs) === undefined) found.push(step);
    else {
      const seconds = before.decision.seconds + step.decision.seconds;
      found[at] = {
        decision: { ...before.decision, seconds },
        results: [...before.results, ...step.results],
        errors: [...before.errors, ...step.errors],
      };
    }
  }
  return found;
}

/** What a tool was given to look for. */
export function subject(inputs: Decision["inputs"]): string | undefined {
  return Object.values(inputs).find((value) => typeof value === "string" && value !== "") as
    | string
    | undefined;
}

/** The rows of a table that the answer lists, if it does. */
export function tableOf(turn: Turn): Row[] | null {
  const results = turn.steps.flatMap((step) => step.results);
  const table = results.findLast((result) => result.payload_type === "table");
  return table ? (table.objects as unknown as Row[]) : null;
}

/** A figure of a group that is compared with others. */
export interface Group {
  name: string;
  value: number;
  said: string;
}

/** The groups that the answer compares, if it does. */
export function groupsOf(turn: Turn): Group[] {
  return (lastOf(turn)?.metadata.groups as Group[] | undefined) ?? [];
}

/** What a figure stands on, where the answer names none of it: in words, and how many there are. */
export interface Folded {
  said: string;
  total: number;
}

export function foldedOf(turn: Turn): Folded | null {
  const { folded, behind } = lastOf(turn)?.metadata ?? {};
  return folded ? { said: String(folded), total: Number(behind) } : null;
}

/**
 * The answer as Markdown, without what is shown beside it: the rows of a table, the lines of groups,
 * and the name of its one source.
 */
export function sentencesOf(turn: Turn): string {
  if (turn.state === "running") return turn.text;
  const groups = groupsOf(turn).map(({ name, said }) => plain(`${name} ${said}`));
  const listed = tableOf(turn) !== null;
  const lines = turn.text.split("\n");
  const rest = lines.filter(
    (line) => !(listed && line.startsWith("- ")) && !groups.includes(plain(line)),
  );
  if (rest.length < lines.length) rest[0] = rest[0]?.replace(/:\s*$/, ".") ?? "";
  const text = rest.join("\n");
  if (lastOf(turn)?.tool !== "query") return text;
  const [one, another] = turn.complete?.sources ?? [];
  const told = one && !another ? text.replace(`: ${one.file} [${one.n}]`, ` [${one.n}]`) : text;
  return told.replace(/^(- )?(\d+)\. /gm, "$1$2\\. "); // "12. Mai" is no list
}

function plain(line: string): string {
  return line.replace(/\s+/g, " ").trim();
}

function lastOf(turn: Turn): ResultEvent | undefined {
  return turn.steps.flatMap((step) => step.results).at(-1);
}

function withStep(turn: Turn, number: number, change: (step: Step) => Step): Turn {
  const at = turn.steps.findLastIndex((step) => step.decision.step === number);
  if (at < 0) return turn;
  return { ...turn, steps: turn.steps.map((step, i) => (i === at ? change(step) : step)) };
}
