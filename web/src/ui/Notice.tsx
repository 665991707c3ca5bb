import type { ReactNode } from "react";
import { ApiError } from "../api/client";
import { say } from "../language";
import { Button } from "./Button";
import styles from "./ui.module.css";

export interface Action {
  label: string;
  run: () => void;
  disabled?: boolean;
}

interface NoticeProps {
  kind: "info" | "good" | "warn" | "bad";
  title: string;
  children?: ReactNode;
  action?: Action;
}

/** Something to know: said at once by screen readers, too. */
export function Notice({ kind, title, children, action }: NoticeProps) {
  return (
    <div className={styles.notice} data-kind={kind} role={kind === "bad" ? "alert" : "status"}>
      <p className={styles.noticeTitle}>{title}</p>
      {children && <div>{children}</div>}
      {action && (
        <Button onClick={action.run} disabled={action.disabled}>
          {action.label}
        </Button>
      )}
    </div>
  );
}

const FOR_PROGRAMS = /\b(?:GET|POST|PATCH|DELETE) \//; // a hint for whoever wrote the client

/** An error of the server, with what to do about it; what else went wrong says nothing to people. */
export function Failure({ error, again }: { error: unknown; again?: () => void }) {
  const ours = error instanceof ApiError || !(error instanceof Error);
  const known = (ours ? error : null) as { message?: string; hint?: string | null } | null;
  const hint = known?.hint && !FOR_PROGRAMS.test(known.hint) && known.hint.replaceAll("`", "");
  const action = again ? { action: { label: say.ui.again, run: again } } : {};
  return (
    <Notice kind="bad" title={known?.message ?? say.ui.wrong} {...action}>
      {hint}
    </Notice>
  );
}

/** What a part shows while it holds nothing. */
export function Empty({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className={styles.empty}>
      <h2>{title}</h2>
      {children}
    </div>
  );
}
