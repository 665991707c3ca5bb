import { say } from "../../language";
import { Button } from "../../ui/Button";
import { Failure, Notice } from "../../ui/Notice";
import { patternInWords } from "../folders";
import styles from "./files.module.css";
import type { Leaving } from "./useLeaving";

const SAID = say.library.excluded;

/** What a person left out of this library, each with the way back in, and the last change. */
export function Excluded({ leaving }: { leaving: Leaving }) {
  return (
    <>
      <Changed leaving={leaving} />
      {leaving.patterns.length > 0 && <Patterns leaving={leaving} />}
    </>
  );
}

function Changed({ leaving: { said, error, undo } }: { leaving: Leaving }) {
  if (error) return <Failure error={error} />;
  if (!said) return null;
  return (
    <Notice kind="good" title={said} action={{ label: say.library.undo, run: undo }}>
      {SAID.untouched}
    </Notice>
  );
}

function Patterns({ leaving }: { leaving: Leaving }) {
  return (
    <div className={styles.excluded}>
      <h3>{SAID.title}</h3>
      <ul className={styles.patterns}>
        {leaving.patterns.map((pattern) => {
          const { kind, text } = patternInWords(pattern);
          return (
            <li key={pattern}>
              <span>
                <small>{kind}</small> {text}
              </span>
              <Button
                kind="quiet"
                aria-label={SAID.takeBackThis(text)}
                disabled={leaving.busy}
                onClick={() => leaving.takeBack(pattern)}
              >
                {SAID.takeBack}
              </Button>
            </li>
          );
        })}
      </ul>
    </div>
  );
}
