import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "react-router";
import { get } from "../api/client";
import type { LibraryStatus, SyncState } from "../api/types";
import { say } from "../language";
import { bytesLeft, missing, useModels } from "../library/models/models";
import { SyncProgress } from "../library/SyncProgress";
import { isNotIndexed, useStart } from "../library/sync";
import { size, textsAreRead } from "../library/words";
import { Failure, Notice } from "../ui/Notice";
import { Waiting } from "../ui/Progress";
import { toAsk } from "./examples";
import { Step } from "./Step";
import styles from "./welcome.module.css";

const SAID = say.welcome.read;

interface ReadProps {
  name?: string;
  sync?: SyncState | undefined;
  example?: boolean;
}

/** Step 3: the folder is read, and can be used long before that is done. */
export function ReadStep({ name, sync, example = false }: ReadProps) {
  if (!name) {
    return (
      <Step number={3} title={SAID.ask} state="later">
        <p>{SAID.what}</p>
      </Step>
    );
  }
  const done = sync?.state === "done";
  return (
    <Step number={3} title={done ? SAID.ask : SAID.title} state="now">
      {!sync && <Waiting label={SAID.beginning} />}
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
  const title = sync.state === "failed" ? SAID.failed : SAID.stopped;
  return (
    <Notice
      kind={sync.state === "failed" ? "bad" : "warn"}
      title={title}
      action={{ label: SAID.goOn, run: () => start.mutate("") }}
    >
      {sync.error ?? SAID.kept}
    </Notice>
  );
}

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
      <Notice kind="good" title={SAID.found[sync.state]}>
        {read?.passages ? SAID.canBeFound(files, read.passages) : running && SAID.textsFound}{" "}
        <Link to="/search">{SAID.search}</Link>
        {!running && failed + partial > 0 && (
          <>
            {SAID.orSee}
            <Link to="/library">{SAID.whichFiles(failed + partial)}</Link>
            {SAID.notWhole}
          </>
        )}
        .
      </Notice>
      <h3>{SAID.question}</h3>
      {lacking && <p>{SAID.needs(lacking.name, size(bytesLeft([lacking])))}</p>}
      <ul className={styles.questions}>
        {(example ? SAID.ofExample : SAID.ofAny).map((question) => (
          <li key={question}>
            <Link to={toAsk(question)}>{question}</Link>
          </li>
        ))}
      </ul>
    </div>
  );
}
