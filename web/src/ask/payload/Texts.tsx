import { say } from "../../language";
import { Thumbnail } from "../../source/Thumbnail";
import { clipped, type Found, shortened } from "./found";
import { More } from "./More";
import { Opens } from "./Opens";
import type { Shown } from "./Payload";
import styles from "./payload.module.css";

/** Passages, each with its place, which it opens. */
export function Passages({ found, library }: Shown) {
  return (
    <More found={found}>
      {(shown) => (
        <ol className={styles.list}>
          {shown.map((one, i) => (
            <li key={key(one, i)}>
              <Opens found={one}>
                <Thumbnail library={library} file={one.file} page={one.page} width={32} />
              </Opens>
              <p className={styles.text} dir="auto">
                {shortened(one.text)}
              </p>
            </li>
          ))}
        </ol>
      )}
    </More>
  );
}

/** What a model made of all that was found before: no words of a file. */
export function Summary({ found }: Shown) {
  return found.map((one, i) => (
    <div key={key(one, i)} className={styles.summary}>
      <strong>{say.ask.payload.summary}</strong>
      <p className={styles.message} dir="auto">
        {clipped(one.text)}
      </p>
    </div>
  ));
}

/** The same place may be found twice. */
export function key({ file, page, line }: Found, i: number): string {
  return `${i} ${file} ${page} ${line}`;
}
