import { count, say } from "../../language";
import { day, size } from "../../library/words";
import { dayName } from "../../ui/dates";
import { FileIcon } from "../../ui/FileIcon";
import { fileName, folderOf } from "../../ui/files";
import { type Found, shortened } from "./found";
import { More } from "./More";
import { Opens } from "./Opens";
import type { Shown } from "./Payload";
import styles from "./payload.module.css";
import { key } from "./Texts";

const BEGINNING = 140; // characters of an entry

/** Entries of a journal: the day, the title, how it begins. */
export function Entries({ found }: Shown) {
  return (
    <More found={found}>
      {(shown) => (
        <ol className={styles.list}>
          {shown.map((one, i) => (
            <li key={key(one, i)}>
              <Opens
                found={one}
                name={one.title || fileName(one.file)}
                beside={dayName(one.date)}
              />
              <p className={styles.text} dir="auto">
                {shortened(one.text, BEGINNING)}
              </p>
            </li>
          ))}
        </ol>
      )}
    </More>
  );
}

/** Files: name and folder, size, the own day or else when they were changed. */
export function Files({ found }: Shown) {
  return (
    <More found={found}>
      {(shown) => (
        <ol className={styles.list}>
          {shown.map((one, i) => (
            <li key={key(one, i)}>
              <Opens found={one} beside={fileWords(one)}>
                <FileIcon file={one.file} format={null} />
              </Opens>
            </li>
          ))}
        </ol>
      )}
    </More>
  );
}

function fileWords({ file, size: bytes, date, modified }: Found): string {
  const when = date ? day(date) : modified && say.ask.payload.changed(day(modified));
  return [folderOf(file), bytes === null ? "" : size(bytes), when].filter(Boolean).join(" · ");
}

/** How many files a folder or a type has, and how large they are. */
export function Counts({ found }: Shown) {
  const sized = found.some((one) => one.size !== null);
  return (
    <More found={found}>
      {(shown) => (
        <table className={styles.counts}>
          <tbody>
            {shown.map((one, i) => (
              <tr key={key({ ...one, file: one.folder || one.type }, i)}>
                <th scope="row">
                  {one.type || (one.folder === "." ? say.ask.payload.top : one.folder)}
                </th>
                <td>{one.files !== null && count(one.files, ...say.ask.payload.files)}</td>
                {sized && <td>{one.size !== null && size(one.size)}</td>}
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </More>
  );
}
