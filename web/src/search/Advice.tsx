import { Link } from "react-router";
import type { LibraryItem } from "../api/types";
import { say } from "../language";
import { Button } from "../ui/Button";
import { Empty } from "../ui/Notice";
import { filtersOf, type Query } from "./query";
import styles from "./search.module.css";

const { beginning, nothing } = say.search;

/** Before anything is typed. */
export function Beginning({ library }: { library: LibraryItem }) {
  if (!library.passages) {
    return (
      <Empty title={beginning.none}>
        <p>
          {beginning.noText}
          <Link to="/library">{beginning.library}</Link>.
        </p>
      </Empty>
    );
  }
  return (
    <div className={styles.beginning}>
      <p>{beginning.advice(library.files)}</p>
      <dl>
        <div>
          <dt>
            <kbd>/</kbd>
          </dt>
          <dd>{beginning.toField}</dd>
        </div>
        <div>
          <dt>
            <kbd>↑</kbd> <kbd>↓</kbd>
          </dt>
          <dd>{beginning.through}</dd>
        </div>
        <div>
          <dt>
            <kbd>{beginning.enter}</kbd>
          </dt>
          <dd>{beginning.opens}</dd>
        </div>
        <div>
          <dt>
            <kbd>{beginning.escape}</kbd>
          </dt>
          <dd>{beginning.closes}</dd>
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
    <Empty title={nothing.title}>
      {filters.length > 0 ? (
        <>
          <p>{nothing.without}</p>
          <div className={styles.choices}>
            {filters.map(({ part, name }) => (
              <Button key={part} onClick={() => change({ [part]: "" })}>
                {nothing.remove(name)}
              </Button>
            ))}
            {filters.length > 1 && (
              <Button onClick={() => change(none)}>{nothing.removeAll}</Button>
            )}
          </div>
        </>
      ) : (
        words > 1 && <p>{nothing.fewer}</p>
      )}
      <p>
        {nothing.steps}
        <Link to={`/ask?q=${encodeURIComponent(query.q)}`}>{nothing.ask}</Link>.
      </p>
    </Empty>
  );
}
