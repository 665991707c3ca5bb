import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense } from "react";
import { Link } from "react-router";
import { get } from "../api/client";
import type { About, LibraryItem, Suggested } from "../api/types";
import { folderName } from "../app/LibraryChoice";
import { ALL, toTalk } from "../app/library";
import { count, say } from "../language";
import { useSync } from "../library/sync";
import { howFar, textsAreRead } from "../library/words";
import styles from "./ask.module.css";
import { inWords as placesOf, type Scope } from "./scope";
import { isRunning, useTurns } from "./useTalk";

const DueShort = lazy(async () => ({ default: (await import("../due/DueShort")).DueShort }));

interface BeginningProps {
  library: LibraryItem;
  scope: Scope;
  ask: (question: string) => void;
}

/** The page before the first question: what the library holds, and what it suggests to ask. */
export function Beginning({ library, scope, ask }: BeginningProps) {
  const { data } = useQuery({
    queryKey: ["about", library.name],
    queryFn: ({ signal }) => get<About>(`/libraries/${library.name}/about`, {}, signal),
    staleTime: 60_000,
    retry: false,
  });
  const within = placesOf(scope); // what the library suggests may lie outside
  const running = useTurns().filter((turn) => isRunning(turn) && turn.conversation);
  return (
    <section className={styles.beginning}>
      <h2>{say.ask.beginning.title}</h2>
      <p>
        {say.ask.beginning.read(library.files - (data?.unread ?? 0))}{" "}
        <strong>{library.name === ALL ? say.ask.beginning.all : folderName(library)}</strong>
        {say.ask.beginning.rest}
      </p>
      {data && <p className={styles.holds}>{contents(data)}</p>}
      {running.map((turn) => (
        <p key={turn.id} className={styles.holds}>
          {say.ask.beginning.running}{" "}
          <Link to={toTalk({ library: turn.library, id: turn.conversation ?? "" })}>
            {turn.question}
          </Link>
        </p>
      ))}
      {!within && (
        <Suspense>
          <DueShort library={library} />
        </Suspense>
      )}
      <ul className={styles.suggestions}>
        {(within ? [say.library.list.summariseThis] : (data?.questions ?? []).map(inWords)).map(
          (question) => (
            <li key={question}>
              <button type="button" onClick={() => ask(question)}>
                {question}
              </button>
            </li>
          ),
        )}
      </ul>
    </section>
  );
}

/** What is not read yet cannot be found: said as long as something is being read. */
export function StillReading({ library }: { library: LibraryItem }) {
  const { data } = useSync(library.name);
  const progress = data?.state === "running" ? data.progress : null;
  if (!progress || textsAreRead(progress)) return null;
  return (
    <p className={styles.reading} role="status">
      {say.ask.beginning.stillReading(progress.total ? (howFar(progress)[0] ?? "") : "")}
    </p>
  );
}

/** A question that the server suggests, in the page's language. */
function inWords({ sort, names, text }: Suggested): string {
  const [first = "", second = ""] = names;
  return say.ask.suggest[sort]?.(first, second) ?? text;
}

function contents({ kinds, years, firms, people }: About): string {
  const most = Object.entries(kinds).slice(0, 4);
  const others = Object.values(kinds)
    .slice(4)
    .reduce((sum, files) => sum + files, 0);
  const [first, last] = years ?? [];
  const parts = [
    [
      ...most.map(([kind, files]) => counted(kind, files)),
      ...(others ? [say.ask.beginning.others(others)] : []),
    ].join(", "),
    first &&
      last &&
      (first === last ? say.ask.beginning.year(first) : say.ask.beginning.years(first, last)),
    firms.slice(0, 3).join(", "),
    people.slice(0, 4).join(", "),
  ];
  return parts.filter(Boolean).join(" · ");
}

function counted(kind: string, files: number): string {
  return count(files, ...(say.ask.beginning.kinds[kind] ?? ([kind, `${kind}s`] as const)));
}
