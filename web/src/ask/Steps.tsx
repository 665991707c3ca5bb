import { IconChevronRight } from "@tabler/icons-react";
import { useEffect, useState } from "react";
import { say, seconds } from "../language";
import { Waiting } from "../ui/Progress";
import styles from "./ask.module.css";
import type { Step, Turn } from "./turn";

/** The steps of a turn as they happen; folded when it is done. */
export function Steps({ turn }: { turn: Turn }) {
  const running = turn.state === "running";
  const [open, setOpen] = useState(running);
  useEffect(() => setOpen(running), [running]);
  if (turn.steps.length === 0 && !turn.status) return null;
  return (
    <details className={styles.steps} open={open}>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: a summary is pressed by keys as well */}
      <summary
        onClick={(event) => {
          event.preventDefault(); // the state says whether it is open
          setOpen(!open);
        }}
      >
        <IconChevronRight size={16} aria-hidden />
        {running ? <Elapsed since={turn.since} /> : summary(turn)}
      </summary>
      <ol className={styles.stepList}>
        {turn.steps.map((step, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: steps are only ever added at the end
          <StepLine key={i} step={step} />
        ))}
        {running && (
          <li className={styles.status}>
            {turn.status ?? (turn.text ? say.ask.steps.writing : say.ask.steps.reading)}
            <Waiting label="" />
          </li>
        )}
      </ol>
    </details>
  );
}

/** That something goes on, and for how long: a small model reads for seconds. */
function Elapsed({ since }: { since: number }) {
  const [now, setNow] = useState(performance.now());
  useEffect(() => {
    const tick = setInterval(() => setNow(performance.now()), 1_000);
    return () => clearInterval(tick);
  }, []);
  const gone = Math.max(0, Math.round((now - since) / 1_000));
  return (
    <>
      {say.ask.steps.looking}{" "}
      <span className={styles.elapsed} aria-hidden>
        {gone > 1 && `${gone} s`}
      </span>
    </>
  );
}

const NAMES_TOOLS = /\b[a-z]+_[a-z]+\b/; // what the model may do next, not the person

function StepLine({ step }: { step: Step }) {
  const { decision, results, errors } = step;
  const inputs = Object.values(decision.inputs).filter((v) => typeof v === "string" && v);
  const took = results.reduce((sum, result) => sum + result.seconds, decision.seconds);
  return (
    <li>
      <p className={styles.stepHead}>
        <strong>{toolName(decision.tool)}</strong>
        {inputs.length > 0 && <q>{String(inputs[0])}</q>}
        {results.length > 0 && <span>{seconds(took)}</span>}
      </p>
      <p className={styles.quiet}>{decision.reasoning}</p>
      {results.map((result) => (
        <p key={result.name}>{firstLine(result.message)}</p>
      ))}
      {errors.map((error) => (
        <p key={error.message} className={styles.stepError}>
          {error.message} {NAMES_TOOLS.test(error.suggestion ?? "") ? "" : error.suggestion}
        </p>
      ))}
    </li>
  );
}

function summary(turn: Turn): string {
  const took = turn.complete?.timings.total;
  const steps = say.ask.steps.count(turn.steps.length);
  return took === undefined ? steps : `${steps}, ${seconds(took)}`;
}

/** What a tool did, as a person would say it. */
export function toolName(tool: string): string {
  const words = tool.replaceAll("_", " ");
  return say.ask.steps.tools[tool] ?? words.charAt(0).toUpperCase() + words.slice(1);
}

function firstLine(text: string): string {
  const line = text.split("\n", 1)[0] ?? "";
  return line.length > 240 ? `${line.slice(0, 239)}…` : line;
}
