import { useState } from "react";
import type { Extract, Source } from "../api/types";
import { say } from "../language";
import { pageWords } from "../source/moment";
import { Thumbnail } from "../source/Thumbnail";
import { fileName, folderOf } from "../ui/files";
import { Marked } from "../ui/Marked";
import { around, within } from "../ui/marks";
import styles from "./ask.module.css";
import { plain } from "./excerpt";
import { useName } from "./naming";
import { sourceOf } from "./turn";

interface ExtractsProps {
  extracts: Extract[];
  /** The numbers that the answer cites; none is known before there is one. */
  cited: Set<number> | null;
  library: string;
  open: (source: Source) => void;
}

const MARGIN = 80; // characters shown on either side of the deciding sentences

/** What was found, in the files' own words: all before the answer, what it cites behind it. */
export function Extracts({ extracts, cited, library, open }: ExtractsProps) {
  const name = useName(say.ask.evidence);
  if (extracts.length === 0) return null;
  const shown = cited ? extracts.filter((one) => cited.has(one.n)) : extracts;
  const others = extracts.filter((one) => !shown.includes(one));
  return (
    <section className={styles.sources} aria-label={name}>
      {shown.length > 0 && <h3>{say.ask.filesSay}</h3>}
      <List extracts={shown} cited={cited} library={library} open={open} />
      {others.length > 0 && (
        <details>
          <summary>
            {(shown.length > 0 ? say.ask.morePassages : say.ask.passages)(others.length)}
          </summary>
          <List extracts={others} cited={cited} library={library} open={open} />
        </details>
      )}
    </section>
  );
}

function List({ extracts, cited, library, open }: ExtractsProps) {
  return (
    <ol className={styles.extracts}>
      {extracts.map((extract) => (
        <li key={extract.n} data-cited={cited?.has(extract.n) || undefined}>
          <button type="button" onClick={() => open(sourceOf(extract))}>
            <span className={styles.number}>{extract.n}</span>
            <Thumbnail library={library} file={extract.file} page={extract.page} width={40} />
            <span className={styles.sourceText}>
              <strong>{fileName(extract.file)}</strong>
              <small>{placeOf(extract)}</small>
            </span>
          </button>
          <Words extract={extract} />
        </li>
      ))}
    </ol>
  );
}

/** The deciding sentences with what stands around them; the rest of the passage on demand. */
function Words({ extract }: { extract: Extract }) {
  const [whole, setWhole] = useState(false);
  const points = Array.from(plain(extract.text));
  const window = whole
    ? ([0, points.length] as const)
    : around(extract.text, extract.marks, MARGIN);
  const text = points.slice(...window).join("");
  const before = window[0] > 0 ? "… " : "";
  const after = window[1] < points.length ? " …" : "";
  const ordering = within(extract.orders, [window[0], window[1]]).length > 0;
  return (
    <div className={styles.extract} dir="auto">
      <p>
        {before}
        <Marked text={text} marks={within(extract.marks, [window[0], window[1]])} />
        {after}
      </p>
      {ordering && <small className={styles.ordering}>{say.ask.ordering}</small>}
      {(whole || before || after) && (
        <button type="button" className={styles.link} onClick={() => setWhole(!whole)}>
          {whole ? say.ask.less : say.ask.wholePassage}
        </button>
      )}
    </div>
  );
}

function placeOf({ file, page, line, headings }: Extract): string {
  const place = page ? pageWords(file, page, say.ask.page) : line ? say.ask.line(line) : "";
  return [folderOf(file), place, headings.at(-1)].filter(Boolean).join(" · ");
}
