import type { FC } from "react";
import type { ResultEvent } from "../../api/types";
import { say } from "../../language";
import { useSource } from "../../source/place";
import { DataTable } from "../DataTable";
import type { Row } from "../table";
import { clipped, type Found, foundIn } from "./found";
import { Counts, Entries, Files } from "./Lists";
import { Interpretations, Pages } from "./Pages";
import styles from "./payload.module.css";
import { Passages, Summary } from "./Texts";

/** What every way to show a result is given. */
export interface Shown {
  found: Found[];
  library: string;
}

// By the `payload_type` of a result; what is not named here is shown by its message.
const WAYS = new Map<string, FC<Shown>>([
  ["chunks", Passages],
  ["passages", Passages],
  ["colqwen_pages", Pages],
  ["pages", Pages],
  ["interpretations", Interpretations],
  ["summary", Summary],
  ["entries", Entries],
  ["files", Files],
  ["folders", Counts],
  ["tree", Counts],
  ["usage", Counts],
]);

interface PayloadProps {
  result: ResultEvent;
  /** What stands above of its message already. */
  line: string;
  library: string;
}

/** Whether there is more of a result than the line that stands in the steps. */
export function hasMore({ result, line }: Omit<PayloadProps, "library">): boolean {
  const known = WAYS.has(result.payload_type) || result.payload_type === "table";
  return (known && result.objects.length > 0) || result.message.trim() !== line;
}

/** A result by its `payload_type`. */
export function Payload({ result, line, library }: PayloadProps) {
  const { open } = useSource();
  if (result.payload_type === "table" && result.objects.length > 0) {
    const rows = result.objects as unknown as Row[];
    return <DataTable rows={rows} open={open} name={say.ask.payload.ofStep(result.step)} />;
  }
  const Way = WAYS.get(result.payload_type);
  const found = foundIn(result);
  if (Way && found.length > 0) return <Way found={found} library={library} />;
  const { message } = result;
  const rest = message.startsWith(`${line}\n`) ? message.slice(line.length + 1) : message;
  return <p className={styles.message}>{clipped(rest)}</p>;
}
