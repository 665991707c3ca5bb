import { type ReactNode, useState } from "react";
import { say } from "../../language";
import styles from "../ask.module.css";
import type { Found } from "./found";

const FIRST = 12; // of what may be a thousand files

/** The first of what was found, and the rest on demand. */
export function More(props: { found: Found[]; children: (found: Found[]) => ReactNode }) {
  const [all, setAll] = useState(false);
  const { found, children } = props;
  const rest = found.length - FIRST;
  return (
    <>
      {children(all ? found : found.slice(0, FIRST))}
      {rest > 0 && !all && (
        <button type="button" className={styles.link} onClick={() => setAll(true)}>
          {say.ask.more(rest)}
        </button>
      )}
    </>
  );
}
