// A turn as the screen shows it, made from its events one by one.

import type { Complete, Decision, ErrorEvent, ResultEvent, TurnEvent } from "../api/types";

/** A tool that was chosen, and what came of it. */
export interface Step {
  decision: Decision;
  results: ResultEvent[];
  errors: ErrorEvent[];
}

export interface Turn {
  question: string;
  /** Its place in the conversation, from 1; null until it is kept. */
  n: number | null;
  state: "running" | "done" | "stopped" | "broken";
  steps: Step[];
  /** What it is doing, in words. */
  status: string | null;
  /** The answer as far as it has been written. */
  text: string;
  /** Errors that belong to no step. */
  errors: ErrorEvent[];
  complete: Complete | null;
  rating: "up" | "down" | null;
}

export function begun(question: string, n: number | null = null): Turn {
  return {
    question,
    n,
    state: "running",
    steps: [],
    status: null,
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
    case "token":
      return { ...turn, status: null, text: turn.text + event.content };
    case "complete":
      return { ...turn, status: null, state: "done", text: event.answer, complete: event };
  }
}

/** A turn that was kept, from all its events. One without an end was broken off. */
export function kept(question: string, n: number, events: TurnEvent[]): Turn {
  const turn = events.reduce(after, begun(question, n));
  return turn.complete ? turn : { ...turn, state: "broken" };
}

/** The rows of a table that the answer lists, if it does. */
export function tableOf(turn: Turn): ResultEvent | null {
  const results = turn.steps.flatMap((step) => step.results);
  return results.findLast((result) => result.payload_type === "table") ?? null;
}

function withStep(turn: Turn, number: number, change: (step: Step) => Step): Turn {
  const at = turn.steps.findLastIndex((step) => step.decision.step === number);
  if (at < 0) return turn;
  return { ...turn, steps: turn.steps.map((step, i) => (i === at ? change(step) : step)) };
}
