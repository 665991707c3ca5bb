import { say } from "../../language";
import { useSource } from "../../source/place";
import { Thumbnail } from "../../source/Thumbnail";
import { FileIcon } from "../../ui/FileIcon";
import { fileName } from "../../ui/files";
import { placeOf, shortened } from "./found";
import { More } from "./More";
import { Opens, whereIn } from "./Opens";
import type { Shown } from "./Payload";
import styles from "./payload.module.css";
import { key } from "./Texts";

const LINE = 90; // characters of a line under a picture

/** Pages as they look, each with the line that fits best. */
export function Pages({ found, library }: Shown) {
  const { open } = useSource();
  return (
    <More found={found}>
      {(shown) => (
        <ol className={styles.pages}>
          {shown.map((one, i) => (
            <li key={key(one, i)}>
              <button
                type="button"
                onClick={() => open(placeOf(one))}
                disabled={!one.file}
                title={one.file}
              >
                <Thumbnail
                  library={library}
                  file={one.file}
                  page={one.page}
                  width={128}
                  pixels={320}
                  otherwise={<FileIcon file={one.file} format={null} size={32} />}
                />
                <strong>{fileName(one.file)}</strong>
                <small>{whereIn(one)}</small>
                {one.lines[0] && <q dir="auto">{shortened(one.lines[0], LINE)}</q>}
              </button>
            </li>
          ))}
        </ol>
      )}
    </More>
  );
}

/** What a model sees on a page, and the page's own words: never taken for each other. */
export function Interpretations({ found, library }: Shown) {
  return (
    <More found={found}>
      {(shown) => (
        <ol className={styles.list}>
          {shown.map((one, i) => (
            <li key={key(one, i)}>
              <Opens found={one}>
                <Thumbnail library={library} file={one.file} page={one.page} width={48} />
              </Opens>
              <p className={styles.text} dir="auto">
                <b>{one.seenBy ? say.ask.payload.sees(one.seenBy) : say.ask.payload.stands}</b>{" "}
                {shortened(one.text, one.seenBy ? 1200 : undefined)}
              </p>
            </li>
          ))}
        </ol>
      )}
    </More>
  );
}
