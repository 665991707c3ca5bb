import {
  IconCheck,
  IconCopy,
  IconDownload,
  IconPencil,
  IconRefresh,
  IconThumbDown,
  IconThumbUp,
} from "@tabler/icons-react";
import { useState } from "react";
import { url } from "../api/client";
import { say, seconds } from "../language";
import { IconButton } from "../ui/Button";
import { copyText } from "../ui/copy";
import { download } from "../ui/download";
import styles from "./ask.module.css";
import type { Turn } from "./turn";
import { whereOf } from "./where";

interface ActionsProps {
  turn: Turn;
  library: string;
  conversation: string | undefined;
  busy: boolean;
  again: () => void;
  edit: () => void;
  rate: (rating: "up" | "down" | null) => void;
}

const ICON = { size: 17, stroke: 1.75, "aria-hidden": true } as const;

/** What can be done with an answer. */
export function Actions(props: ActionsProps) {
  const { turn, busy, rate } = props;
  const [copied, setCopied] = useState("");
  const copy = async () => {
    const done = await copyText(asText(turn)).then(
      () => say.ask.actions.copied,
      () => say.ask.actions.notCopied,
    );
    setCopied(done);
    setTimeout(() => setCopied(""), 4000);
  };
  const whole = props.conversation
    ? url(`/libraries/${props.library}/conversations/${props.conversation}/export`)
    : null;
  const save = () =>
    whole ? download(whole) : download(new Blob([asText(turn)], { type: "text/markdown" }));
  return (
    <fieldset className={styles.actions}>
      <legend className="hidden">{say.ask.actions.legend}</legend>
      <IconButton label={copied || say.ask.actions.copy} onClick={copy}>
        {copied ? <IconCheck {...ICON} /> : <IconCopy {...ICON} />}
      </IconButton>
      <IconButton label={say.ask.actions.exported} onClick={save}>
        <IconDownload {...ICON} />
      </IconButton>
      <IconButton label={say.ask.again} onClick={props.again} disabled={busy}>
        <IconRefresh {...ICON} />
      </IconButton>
      <IconButton label={say.ask.actions.edit} onClick={props.edit}>
        <IconPencil {...ICON} />
      </IconButton>
      {turn.n !== null && (
        <>
          <IconButton
            label={say.ask.actions.good}
            aria-pressed={turn.rating === "up"}
            onClick={() => rate(turn.rating === "up" ? null : "up")}
          >
            <IconThumbUp {...ICON} />
          </IconButton>
          <IconButton
            label={say.ask.actions.bad}
            aria-pressed={turn.rating === "down"}
            onClick={() => rate(turn.rating === "down" ? null : "down")}
          >
            <IconThumbDown {...ICON} />
          </IconButton>
        </>
      )}
      <span className={styles.cost}>{cost(turn)}</span>
    </fieldset>
  );
}

function asText(turn: Turn): string {
  const sources = (turn.complete?.sources ?? [])
    .filter((source) => source.cited)
    .map((source) => `[${source.n}] ${whereOf(source)}`);
  return [turn.question, turn.text, sources.join("\n")].filter(Boolean).join("\n\n");
}

function cost(turn: Turn): string {
  const { complete } = turn;
  if (!complete) return "";
  const took = complete.timings.total;
  const parts = [say.ask.confidence[complete.confidence]];
  if (complete.model_calls > 0) {
    const { prompt, cached, completion } = complete.tokens;
    parts.push(say.ask.tokens(prompt - cached, completion));
  } else parts.push(say.ask.noModel);
  if (took !== undefined) parts.push(seconds(took));
  return parts.join(" · ");
}
