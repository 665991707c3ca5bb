import { IconPlayerStop, IconRefresh } from "@tabler/icons-react";
import type { UseQueryResult } from "@tanstack/react-query";
import { useState } from "react";
import type { LibraryItem, SyncState } from "../../api/types";
import { STAGES } from "../../app/SyncBadge";
import { Button } from "../../ui/Button";
import { Failure, Notice } from "../../ui/Notice";
import { Confirm } from "../Confirm";
import shared from "../library.module.css";
import { SyncProgress } from "../SyncProgress";
import { reportOf, useStart, useStop } from "../sync";
import { ago, count, took } from "../words";
import styles from "./files.module.css";

/** How current the index is, what a running sync does, and the buttons that start and stop one. */
export function SyncPanel(props: { library: LibraryItem; sync: UseQueryResult<SyncState> }) {
  const { library, sync } = props;
  const [asking, setAsking] = useState(false);
  const start = useStart(library.name);
  const stop = useStop(library.name);
  const failed = start.error ?? stop.error;
  const state = sync.data;
  const running = state?.state === "running";
  const stage = running ? (STAGES[state.progress?.stage ?? ""] ?? "Beginning") : "";
  return (
    <div className={styles.sync}>
      <div className={styles.syncState}>
        {running ? <SyncProgress state={state} /> : <Latest library={library} state={state} />}
        <p className="hidden" role="status">
          {stage}
        </p>
      </div>
      <div className={shared.actions}>
        {running ? (
          <Button onClick={() => stop.mutate(undefined)} disabled={stop.isPending}>
            <IconPlayerStop size={18} stroke={1.75} aria-hidden />
            Stop
          </Button>
        ) : (
          <>
            <Button kind="primary" onClick={() => start.mutate("")} disabled={start.isPending}>
              <IconRefresh size={18} stroke={1.75} aria-hidden />
              Update now
            </Button>
            <Button kind="quiet" onClick={() => setAsking(true)} disabled={start.isPending}>
              Read everything anew
            </Button>
          </>
        )}
      </div>
      {state?.state === "failed" && (
        <Notice
          kind="bad"
          title="The last update failed."
          {...(state.would_drop && {
            action: { label: "Take them out of the index", run: () => start.mutate("yes") },
          })}
        >
          {state.error}
        </Notice>
      )}
      {failed && <Failure error={failed} />}
      {sync.isError && <Failure error={sync.error} again={sync.refetch} />}
      {asking && (
        <Confirm
          title="Read everything anew?"
          yes="Read everything anew"
          run={() => start.mutate("force")}
          close={() => setAsking(false)}
        >
          {library.files > 0 ? `All ${count(library.files, "file")}` : "All files"} of this library
          are read and indexed again, which can take long. An update reads only what changed. What
          is indexed now stays searchable meanwhile.
        </Confirm>
      )}
    </div>
  );
}

/** How the last sync ended. */
function Latest({ library, state }: { library: LibraryItem; state: SyncState | undefined }) {
  const report = reportOf(state);
  const when = library.updated ? `Updated ${ago(library.updated)}` : "Not indexed yet";
  if (state?.state === "cancelled") return <p>Stopped. What was read until then is kept.</p>;
  if (!report) return <p>{when}.</p>;
  const parts = [
    [report.added, "added"],
    [report.changed, "changed"],
    [report.renamed, "renamed"],
    [report.deleted, "gone"],
  ].flatMap(([number, what]) => (number ? [`${count(number as number, "file")} ${what}`] : []));
  return (
    <p>
      {when}: {parts.join(", ") || "nothing had changed"} <small>({took(report.seconds)})</small>
      {report.notice && <span className={styles.notice}>{report.notice}</span>}
    </p>
  );
}
