import type { LibraryItem } from "../api/types";
import { folderName } from "../app/LibraryChoice";
import styles from "./ask.module.css";

// Questions that any folder can answer, without a model.
const QUESTIONS = [
  "How many PDF files are there?",
  "Which files are the newest?",
  "Which folder takes the most space?",
];

/** The page before the first question. */
export function Beginning({ library, ask }: { library: LibraryItem; ask: (q: string) => void }) {
  return (
    <section className={styles.beginning}>
      <h2>What would you like to know?</h2>
      <p>
        Manole has read {library.files.toLocaleString()} files of{" "}
        <strong>{folderName(library)}</strong>, on this machine. Every answer opens the page that it
        comes from.
      </p>
      <ul className={styles.suggestions}>
        {QUESTIONS.map((question) => (
          <li key={question}>
            <button type="button" onClick={() => ask(question)}>
              {question}
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
