import type { Source } from "../api/types";
import { say } from "../language";
import { pageWords } from "../source/moment";
import { Thumbnail } from "../source/Thumbnail";
import { fileName, folderOf } from "../ui/files";
import styles from "./ask.module.css";
import { quoted } from "./excerpt";
import { useName } from "./naming";
import type { Folded } from "./turn";

interface ListProps {
  sources: Source[];
  library: string;
  open: (source: Source) => void;
}

interface SourcesProps extends ListProps {
  /** What they are, where the answer names none of them. */
  folded: Folded | null;
}

const SHOWN = 5;

/** What an answer stands on: those that it cites first, then what was read beside them. */
export function Sources({ sources, folded, library, open }: SourcesProps) {
  const name = useName(say.ask.sources);
  if (folded) {
    const rest = folded.total - sources.length;
    return (
      <section className={styles.sources} aria-label={name}>
        <details>
          <summary>{folded.said}</summary>
          <List sources={sources} library={library} open={open} />
          {rest > 0 && <p className={styles.quiet}>{say.ask.more(rest)}</p>}
        </details>
      </section>
    );
  }
  const cited = sources.filter((source) => source.cited);
  const rest = sources.filter((source) => !source.cited);
  const ordered = [...cited, ...rest];
  const count = Math.min(cited.length || SHOWN, SHOWN);
  const first = ordered.slice(0, count);
  const others = ordered.slice(count);
  return (
    <section className={styles.sources} aria-label={name}>
      <h3>{cited.length > 0 ? say.ask.sources : say.ask.readForThis}</h3>
      <List sources={first} library={library} open={open} />
      {others.length > 0 && (
        <details>
          <summary>{say.ask.more(others.length)}</summary>
          <List sources={others} library={library} open={open} />
        </details>
      )}
    </section>
  );
}

function List({ sources, library, open }: ListProps) {
  return (
    <ol className={styles.sourceList}>
      {sources.map((source) => (
        <li key={source.n}>
          <button type="button" onClick={() => open(source)}>
            <span className={styles.number}>{source.n}</span>
            <Thumbnail library={library} file={source.file} page={source.page} width={48} />
            <span className={styles.sourceText}>
              <strong>{fileName(source.file)}</strong>
              <small>{[folderOf(source.file), place(source)].filter(Boolean).join(" · ")}</small>
              {source.quote && <q>{quoted(source.quote)}</q>}
            </span>
          </button>
        </li>
      ))}
    </ol>
  );
}

function place(source: Source): string {
  if (source.page) return pageWords(source.file, source.page, say.ask.page);
  return source.line ? say.ask.line(source.line) : "";
}
