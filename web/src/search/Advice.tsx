import { Link } from "react-router";
import type { LibraryItem } from "../api/types";
import { Button } from "../ui/Button";
import { Empty } from "../ui/Notice";
import { filtersOf, type Query } from "./query";
import { plural } from "./results";
import styles from "./search.module.css";

/** Before anything is typed. */
export function Beginning({ library }: { library: LibraryItem }) {
  if (!library.passages) {
    return (
      <Empty title="Nothing to search in yet">
        <p>
          This library has no text in its index. See how far it is in the{" "}
          <Link to="/library">library</Link>.
        </p>
      </Empty>
    );
  }
  return (
    <div className={styles.beginning}>
      <p>
        Type words or a whole sentence. Manole looks for the words and for what they mean, in{" "}
        {plural(library.files, "file")}, while you type.
      </p>
      <dl>
        <div>
          <dt>
            <kbd>/</kbd>
          </dt>
          <dd>to this field</dd>
        </div>
        <div>
          <dt>
            <kbd>↑</kbd> <kbd>↓</kbd>
          </dt>
          <dd>through the results</dd>
        </div>
        <div>
          <dt>
            <kbd>Enter</kbd>
          </dt>
          <dd>opens the place</dd>
        </div>
        <div>
          <dt>
            <kbd>Esc</kbd>
          </dt>
          <dd>closes it</dd>
        </div>
      </dl>
    </div>
  );
}

/** When nothing fits: what may help. */
export function Nothing({
  query,
  change,
}: {
  query: Query;
  change: (part: Partial<Query>) => void;
}) {
  const filters = filtersOf(query);
  const words = query.q.split(/\s+/).length;
  const none = Object.fromEntries(filters.map(({ part }) => [part, ""]));
  return (
    <Empty title="Nothing found">
      {filters.length > 0 ? (
        <>
          <p>Perhaps without a filter:</p>
          <div className={styles.choices}>
            {filters.map(({ part, name }) => (
              <Button key={part} onClick={() => change({ [part]: "" })}>
                Remove “{name}”
              </Button>
            ))}
            {filters.length > 1 && <Button onClick={() => change(none)}>Remove all</Button>}
          </div>
        </>
      ) : (
        words > 1 && <p>Fewer words find more: leave out all but the rarest.</p>
      )}
      <p>
        Or let Manole search in steps:{" "}
        <Link to={`/ask?q=${encodeURIComponent(query.q)}`}>ask instead</Link>.
      </p>
    </Empty>
  );
}
