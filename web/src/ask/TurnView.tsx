import { lazy, Suspense } from "react";
import type { Complete, Source } from "../api/types";
import { say } from "../language";
import { useSource } from "../source/place";
import { Button } from "../ui/Button";
import { Notice } from "../ui/Notice";
import { Waiting } from "../ui/Progress";
import { Actions } from "./Actions";
import styles from "./ask.module.css";
import { Bars } from "./Bars";
import { DataTable } from "./DataTable";
import { Extracts } from "./Extracts";
import { Reading } from "./Reading";
import { Sources } from "./Sources";
import { Steps, suggested } from "./Steps";
import { inWords } from "./scope";
import {
  extractsOf,
  foldedOf,
  groupsOf,
  inOrder,
  sentencesOf,
  sourcesOf,
  type Turn,
  tableOf,
} from "./turn";

// Markdown is a third of the page's size, and the first view does without it.
const Answer = lazy(async () => ({ default: (await import("./Answer")).Answer }));

interface TurnProps {
  turn: Turn;
  library: string;
  conversation: string | undefined;
  busy: boolean;
  again: () => void;
  /** Ask something else. */
  ask: (question: string) => void;
  /** Ask the same of one file. */
  within: (file: string) => void;
  edit: () => void;
  rate: (rating: "up" | "down" | null) => void;
}

/** A question, how it was looked into, the answer, and what it stands on. */
export function TurnView(props: TurnProps) {
  const { library } = props;
  const turn = inOrder(props.turn);
  const source = useSource();
  const { complete } = turn;
  const table = turn.state === "running" ? null : tableOf(turn);
  const groups = turn.state === "running" ? [] : groupsOf(turn);
  const text = sentencesOf(turn);
  const open = (to: Source) =>
    source.open({
      file: to.file,
      page: to.page,
      line: to.line,
      lineEnd: to.line_end,
      quote: to.quote,
    });
  const shown = new Set(turn.extracts.map((extract) => extract.n));
  const others = (complete?.sources ?? []).filter((one) => !shown.has(one.n));
  const scope = inWords(turn.scope);
  const kind = !complete ? "open" : !complete.found ? "missing" : complete.confidence;
  return (
    <article className={styles.turn} data-kind={kind}>
      <h2 className={styles.question}>{turn.question}</h2>
      {scope && (
        <p className={styles.asked}>
          {say.ask.scope.only} {scope}
        </p>
      )}
      <Steps turn={turn} library={library} />
      {turn.errors.map((error) => (
        <Notice key={error.message} kind="bad" title={error.message}>
          {error.suggestion && suggested(error.suggestion)}
        </Notice>
      ))}
      {complete && verdict(turn, complete) && (
        <p className={styles.verdict}>{verdict(turn, complete)}</p>
      )}
      {text ? (
        <Suspense fallback={<p className={styles.answer}>{text}</p>}>
          <Answer
            text={text}
            sources={sourcesOf(turn)}
            library={library}
            open={open}
            writing={turn.state === "running"}
          />
        </Suspense>
      ) : (
        turn.state === "running" &&
        turn.steps.length === 0 &&
        !turn.status && <Waiting label={say.ask.lookingForAnswer} />
      )}
      {turn.choices.length > 0 && (
        <fieldset className={styles.choices}>
          <legend>{say.ask.whichOne}</legend>
          {turn.choices.map(({ file, title }) => (
            <Button key={file} onClick={() => props.within(file)} disabled={props.busy}>
              {title || file}
              <small>{file}</small>
            </Button>
          ))}
        </fieldset>
      )}
      {turn.state === "done" && <Reading turn={turn} ask={props.ask} busy={props.busy} />}
      {groups.length > 0 && <Bars groups={groups} />}
      {table && <DataTable rows={table} open={source.open} question={turn.question} />}
      {turn.state === "stopped" && (
        <p className={styles.quiet}>
          {say.ask.stopped}{" "}
          <Button kind="quiet" onClick={props.again} disabled={props.busy}>
            {say.ask.again}
          </Button>
        </p>
      )}
      {turn.state === "broken" && (
        <Notice kind="warn" title={say.ask.brokenTitle}>
          <p>{say.ask.broken}</p>
          <Button onClick={props.again} disabled={props.busy}>
            {say.ask.again}
          </Button>
        </Notice>
      )}
      <Extracts extracts={extractsOf(turn)} cited={cited(complete)} library={library} open={open} />
      {others.length > 0 && !table && (
        <Sources sources={others} folded={foldedOf(turn)} library={library} open={open} />
      )}
      {complete && (
        <Actions
          turn={turn}
          library={library}
          conversation={props.conversation}
          busy={props.busy}
          again={props.again}
          edit={props.edit}
          rate={props.rate}
        />
      )}
    </article>
  );
}

/** What to know before reading an answer. */
function verdict(turn: Turn, complete: Complete): string | null {
  if (turn.errors.some((error) => !error.recoverable)) return null; // that says what there is
  if (complete.outcome === "choices") return null;
  if (complete.outcome === "nearest") return say.ask.nearest;
  if (!complete.found) return say.ask.missing;
  return complete.confidence === "low" ? say.ask.low : null;
}

function cited(complete: Complete | null): Set<number> | null {
  return complete && new Set(complete.sources.filter((one) => one.cited).map((one) => one.n));
}
