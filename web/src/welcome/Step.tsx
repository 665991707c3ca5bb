import { IconCheck } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { say } from "../language";
import styles from "./welcome.module.css";

interface StepProps {
  number: number;
  title: string;
  state: "done" | "now" | "later";
  children: ReactNode;
}

/** A numbered step of the first run. */
export function Step({ number, title, state, children }: StepProps) {
  return (
    <li
      className={styles.step}
      data-state={state}
      aria-current={state === "now" ? "step" : undefined}
    >
      <span className={styles.number} aria-hidden>
        {state === "done" ? <IconCheck size={18} stroke={2.25} /> : number}
      </span>
      <div className={styles.body}>
        <h2>
          {title}
          {state === "done" && <span className="hidden">{say.welcome.done}</span>}
        </h2>
        {children}
      </div>
    </li>
  );
}
