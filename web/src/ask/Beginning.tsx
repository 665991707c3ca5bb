import { useQuery } from "@tanstack/react-query";
import { get } from "../api/client";
import type { About, LibraryItem } from "../api/types";
import { folderName } from "../app/LibraryChoice";
import { useSync } from "../library/sync";
import { howFar, textsAreRead } from "../library/words";
import styles from "./ask.module.css";

/** The page before the first question: what the library holds, and what it suggests to ask. */
export function Beginning({ library, ask }: { library: LibraryItem; ask: (q: string) => void }) {
  const { data } = useQuery({
    queryKey: ["about", library.name],
    queryFn: ({ signal }) => get<About>(`/libraries/${library.name}/about`, {}, signal),
    staleTime: 60_000,
    retry: false,
  });
  return (
    <section className={styles.beginning}>
      <h2>What would you like to know?</h2>
      <p>
        Manole has read {library.files.toLocaleString("en")} files of{" "}
        <strong>{folderName(library)}</strong>, on this machine. Every answer opens the page that it
        comes from.
      </p>
      {data && <p className={styles.holds}>{inWords(data)}</p>}
      <ul className={styles.suggestions}>
        {data?.questions.map((question) => (
          <li key={question}>
            <button type="button" onClick={() => ask(question)}>
              {question}
            </button>
          </li>
        ))}
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
      Manole is still reading{progress.total ? `: ${howFar(progress)[0]}` : ""}. What is not read
      yet cannot be found.
    </p>
  );
}

function inWords({ kinds, years, firms, people }: About): string {
  const most = Object.entries(kinds).slice(0, 4);
  const parts = [
    most.map(([kind, files]) => `${files.toLocaleString("en")} ${plural(kind, files)}`).join(", "),
    years && (years[0] === years[1] ? `of ${years[0]}` : `from ${years[0]} to ${years[1]}`),
    firms.slice(0, 3).join(", "),
    people.slice(0, 4).join(", "),
  ];
  return parts.filter(Boolean).join(" · ");
}

const NAMED: Record<string, string> = {
  pdf: "PDF",
  markdown: "Markdown file",
  text: "text file",
  audio: "sound file",
  contacts: "address book",
  other: "other file",
};

function plural(kind: string, files: number): string {
  const one = NAMED[kind] ?? kind;
  return files === 1 ? one : `${one}s`;
}
