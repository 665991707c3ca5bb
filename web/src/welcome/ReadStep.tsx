import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "react-router";
import { get } from "../api/client";
import type { LibraryStatus, SyncState } from "../api/types";
import { bytesLeft, missing, useModels } from "../library/models/models";
import { SyncProgress } from "../library/SyncProgress";
import { isNotIndexed, useStart } from "../library/sync";
import { count, size, textsAreRead } from "../library/words";
import { Failure, Notice } from "../ui/Notice";
import { Waiting } from "../ui/Progress";
import { OF_ANY_FOLDER, OF_THE_EXAMPLE, toAsk } from "./examples";
import { Step } from "./Step";
import styles from "./welcome.module.css";

interface ReadProps {
  name?: string;
  sync?: SyncState | undefined;
  example?: boolean;
}

/** Step 3: the folder is read, and can be used long before that is done. */
export function ReadStep({ name, sync, example = false }: ReadProps) {
  if (!name) {
    return (
      <Step number={3} title="Ask" state="later">
        <p>
          You see here how your folder is read. What is read can be searched at once, long before
          the end.
        </p>
      </Step>
    );
  }
  const done = sync?.state === "done";
  return (
    <Step number={3} title={done ? "Ask" : "Your folder is being read"} state="now">
      {!sync && <Waiting label="Beginning" />}
      {sync?.state === "running" && <SyncProgress state={sync} />}
      {(sync?.state === "failed" || sync?.state === "cancelled") && (
        <Stopped name={name} sync={sync} />
      )}
      {sync && <Usable name={name} sync={sync} example={example} />}
    </Step>
  );
}

function Stopped({ name, sync }: { name: string; sync: SyncState }) {
  const start = useStart(name);
  const title = sync.state === "failed" ? "Reading failed." : "Reading was stopped.";
  return (
    <Notice
      kind={sync.state === "failed" ? "bad" : "warn"}
      title={title}
      action={{ label: "Go on", run: () => start.mutate("") }}
    >
      {sync.error ?? "What was read until then is kept."}
    </Notice>
  );
}

const FOUND: Record<SyncState["state"], string> = {
  running: "Search works already.",
  done: "Your folder is read.",
  idle: "Your folder is read.",
  failed: "What was read can be found.",
  cancelled: "What was read can be found.",
};

/** What can be done already: nothing, search, or ask. */
function Usable({ name, sync, example }: { name: string; sync: SyncState; example: boolean }) {
  const running = sync.state === "running";
  const [found, setFound] = useState(false);
  if (!found && running && textsAreRead(sync.progress)) setFound(true);
  const models = useModels();
  const status = useQuery({
    queryKey: ["library-status", name],
    queryFn: ({ signal }) => get<LibraryStatus>(`/libraries/${name}/status`, { limit: 1 }, signal),
    // There is nothing to ask for before the files are known.
    enabled: !running || (sync.progress !== null && sync.progress.stage !== "scan"),
    refetchInterval: running ? 1_500 : false,
  });
  const read = status.data;
  if (status.error && !isNotIndexed(status.error)) {
    return <Failure error={status.error} again={status.refetch} />;
  }
  if (!found && !read?.passages) return null;
  const { failed = 0, partial = 0, ...fine } = read?.counts ?? {};
  const files = Object.values(fine).reduce((sum, number) => sum + number, failed + partial);
  const lacking = missing(models.data?.models ?? []).find(({ role }) => role === "chat");
  return (
    <div className={styles.usable}>
      <Notice kind="good" title={FOUND[sync.state]}>
        {read?.passages
          ? `${count(files, "file")} and ${count(read.passages, "passage")} can be found.`
          : running && "All texts can be found; pictures follow."}{" "}
        <Link to="/search">Search them</Link>
        {!running && failed + partial > 0 && (
          <>
            , or see <Link to="/library">which {count(failed + partial, "file")}</Link> could not be
            read whole
          </>
        )}
        .
      </Notice>
      <h3>Ask a question</h3>
      {lacking && (
        <p>
          Answers need {lacking.name}, {size(bytesLeft([lacking]))}: fetch it in step 2, else the
          first question does, and waits for it.
        </p>
      )}
      <ul className={styles.questions}>
        {(example ? OF_THE_EXAMPLE : OF_ANY_FOLDER).map((question) => (
          <li key={question}>
            <Link to={toAsk(question)}>{question}</Link>
          </li>
        ))}
      </ul>
    </div>
  );
}
