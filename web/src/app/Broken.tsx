import { useRouteError } from "react-router";
import { say } from "../language";
import { Notice } from "../ui/Notice";
import styles from "./Shell.module.css";

/** Shown when a part of the page fails: what happened, and a way on. */
export function Broken() {
  const error = useRouteError();
  const message = error instanceof Error ? error.message : String(error);
  return (
    <div className={styles.alone}>
      <Notice
        kind="bad"
        title={say.app.broken}
        action={{ label: say.app.loadAgain, run: () => location.reload() }}
      >
        {message}
      </Notice>
    </div>
  );
}
