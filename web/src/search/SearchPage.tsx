import { Link, useSearchParams } from "react-router";
import type { LibraryItem } from "../api/types";
import { useLibraries, useLibrary } from "../app/library";
import { say } from "../language";
import { Failure } from "../ui/Notice";
import { Waiting } from "../ui/Progress";
import { Finding } from "./Finding";
import styles from "./search.module.css";
import { Timeline } from "./Timeline";

const VIEWS = [
  { view: null, name: say.search.views.words },
  { view: "timeline", name: say.search.views.timeline },
];

/** Finding things without a model: by their words, or by their dates. */
export function SearchPage() {
  const libraries = useLibraries();
  const library = useLibrary();
  return (
    <div className={styles.page}>
      {library ? (
        <Views key={library.name} library={library} />
      ) : (
        <>
          <h1>{say.search.title}</h1>
          {libraries.error ? (
            <Failure error={libraries.error} again={() => libraries.refetch()} />
          ) : (
            <Waiting label={say.search.opening} />
          )}
        </>
      )}
    </div>
  );
}

function Views({ library }: { library: LibraryItem }) {
  const [search] = useSearchParams();
  const dated = search.get("view") === "timeline";
  return (
    <>
      <div className={styles.head}>
        <h1>{say.search.title}</h1>
        <nav aria-label={say.search.views.label} className={styles.tabs}>
          {VIEWS.map(({ view, name }) => (
            <Link
              key={name}
              to={{ search: withView(search, view).toString() }}
              aria-current={(view === "timeline") === dated ? "page" : undefined}
            >
              {name}
            </Link>
          ))}
        </nav>
      </div>
      {dated ? <Timeline library={library} /> : <Finding library={library} />}
    </>
  );
}

function withView(search: URLSearchParams, view: string | null): URLSearchParams {
  const changed = new URLSearchParams(search);
  if (view) changed.set("view", view);
  else changed.delete("view");
  return changed;
}
