import type { View } from "../api/types";
import { say } from "../language";
import type { Place } from "./place";
import styles from "./source.module.css";

/** That a file is not what was read any more, and the words that were quoted from it. */
export function Changes({ view, place }: { view: View | undefined; place: Place }) {
  const lost = place.quote && (!view || view.quoted === false) ? place.quote : null;
  const state = view && view.state !== "same" ? view.state : null;
  if (!lost && !state) return null;
  return (
    <div className={styles.changes} role="status">
      {state && <p>{state === "gone" ? say.source.gone : say.source.changed}</p>}
      {lost && (
        <>
          <p>{!view ? say.source.quotedOnce : say.source.notQuoted(view.pages > 1)}</p>
          <blockquote dir="auto">{lost}</blockquote>
        </>
      )}
    </div>
  );
}
