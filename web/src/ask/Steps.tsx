import { IconChevronRight } from "@tabler/icons-react";
import { useEffect, useRef, useState } from "react";
import type { ResultEvent } from "../api/types";
import { say, seconds } from "../language";
import { Waiting } from "../ui/Progress";
import styles from "./ask.module.css";
import { shortened } from "./payload/found";
import { hasMore, Payload } from "./payload/Payload";
import { type Step, subject, type Turn, told } from "./turn";

/** The steps of a turn as they happen; folded when it is done, unless somebody looks into one. */
export function Steps({ turn, library }: { turn: Turn; library: string }) {
  const running = turn.state === "running";
  const [open, setOpen] = useState(running);
  const looking = useRef(false);
  useEffect(() => setOpen((now) => running || (now && looking.current)), [running]);
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
        {told(turn.steps).map((step, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: steps are only ever added at the end
          <StepLine key={i} step={step} library={library} looked={() => (looking.current = true)} />
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

const REASONING = 240; // characters of what a model may write at length

interface StepProps {
  step: Step;
  library: string;
  /** A result was opened. */
  looked: () => void;
}

function StepLine({ step, library, looked }: StepProps) {
  const { decision, results, errors } = step;
  const sought = subject(decision.inputs);
  const query = decision.tool === "query"; // few people read SQL
  const took = results.reduce((sum, result) => sum + result.seconds, decision.seconds);
  return (
    <li>
      <p className={styles.stepHead}>
        <strong>{toolName(decision.tool)}</strong>
        {sought && !query && <q>{shortened(sought, REASONING)}</q>}
        {results.length > 0 && <span>{seconds(took)}</span>}
      </p>
      <p className={styles.quiet}>{shortened(decision.reasoning, REASONING)}</p>
      {results.map((result, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: results are only ever added at the end
        <StepResult key={i} result={result} library={library} looked={looked} />
      ))}
      {query && sought && <Query sql={sought} />}
      {errors.map((error) => (
        <p key={error.message} className={styles.stepError}>
          {error.message} {error.suggestion && suggested(error.suggestion)}
        </p>
      ))}
    </li>
  );
}

/** The query behind an answer, once it is asked for. */
function Query({ sql }: { sql: string }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <button
        type="button"
        className={styles.stepResult}
        aria-expanded={open}
        onClick={() => setOpen(!open)}
      >
        <IconChevronRight size={16} aria-hidden />
        <span>{say.ask.steps.query}</span>
      </button>
      {open && <code className={styles.sql}>{sql}</code>}
    </>
  );
}

/** The first line of a result; pressed, it shows what was found. */
function StepResult(props: { result: ResultEvent; library: string; looked: () => void }) {
  const { result, library, looked } = props;
  const [open, setOpen] = useState(false);
  const line = firstLine(result.message);
  if (!hasMore({ result, line })) return <p>{line}</p>;
  const press = () => {
    looked();
    setOpen(!open);
  };
  return (
    <>
      <button type="button" className={styles.stepResult} aria-expanded={open} onClick={press}>
        <IconChevronRight size={16} aria-hidden />
        <span>{line || toolName(result.tool)}</span>
      </button>
      {open && <Payload result={result} line={line} library={library} />}
    </>
  );
}

/** What to try next, with the names of tools as a person would say them. */
export function suggested(suggestion: string): string {
  const said = suggestion.replace(/[a-z]+_[a-z_]+/g, (name) => say.ask.steps.called[name] ?? name);
  return said.charAt(0).toUpperCase() + said.slice(1);
}

function summary(turn: Turn): string {
  const took = turn.complete?.timings.total;
  const steps = say.ask.steps.count(told(turn.steps).length);
  return took === undefined ? steps : `${steps}, ${seconds(took)}`;
}

/** What a tool did, as a person would say it. */
export function toolName(tool: string): string {
  const words = tool.replaceAll("_", " ");
  return say.ask.steps.tools[tool] ?? words.charAt(0).toUpperCase() + words.slice(1);
}

function firstLine(text: string): string {
  const line = (text.split("\n", 1)[0] ?? "").replace(/:$/, "");
  return line.length > 240 ? `${line.slice(0, 239)}…` : line;
}
