import { IconPlayerStop, IconRefresh } from "@tabler/icons-react";
import type { UseQueryResult } from "@tanstack/react-query";
import { useState } from "react";
import type { LibraryItem, SyncState } from "../../api/types";
import { ALL } from "../../app/library";
import { STAGES } from "../../app/SyncBadge";
import { say } from "../../language";
import { Button } from "../../ui/Button";
import { Failure, Notice } from "../../ui/Notice";
import { Confirm } from "../Confirm";
import shared from "../library.module.css";
import { SyncProgress } from "../SyncProgress";
import { reportOf, useStart, useStop } from "../sync";
import { ago, took } from "../words";
import styles from "./files.module.css";

const SAID = say.library.sync;

/** How current the index is, what a running sync does, and the buttons that start and stop one. */
export function SyncPanel(props: { library: LibraryItem; sync: UseQueryResult<SyncState> }) {
  const { library, sync } = props;
  const [asking, setAsking] = useState(false);
  const start = useStart(library.name);
  const stop = useStop(library.name);
  const failed = start.error ?? stop.error;
  const state = sync.data;
  const running = state?.state === "running";
  const stage = running ? (STAGES[state.progress?.stage ?? ""] ?? SAID.beginning) : "";
  return (
    <div className={styles.sync}>
      <div className={styles.syncState}>
        {running ? <SyncProgress state={state} /> : <Latest library={library} state={state} />}
        <p className="hidden" role="status">
          {stage}
        </p>
      </div>
      {library.name !== ALL && (
        <div className={shared.actions}>
          {running ? (
            <Button onClick={() => stop.mutate(undefined)} disabled={stop.isPending}>
              <IconPlayerStop size={18} stroke={1.75} aria-hidden />
              {say.library.stop}
            </Button>
          ) : (
            <>
              <Button kind="primary" onClick={() => start.mutate("")} disabled={start.isPending}>
                <IconRefresh size={18} stroke={1.75} aria-hidden />
                {SAID.update}
              </Button>
              <Button kind="quiet" onClick={() => setAsking(true)} disabled={start.isPending}>
                {SAID.anew}
              </Button>
            </>
          )}
        </div>
      )}
      {state?.state === "failed" && (
        <Notice
          kind="bad"
          title={SAID.failed}
          {...(state.would_drop && {
            action: { label: SAID.drop, run: () => start.mutate("yes") },
          })}
        >
          {state.error}
        </Notice>
      )}
      {failed && <Failure error={failed} />}
      {sync.isError && <Failure error={sync.error} again={sync.refetch} />}
      {asking && (
        <Confirm
          title={SAID.anewAsk}
          yes={SAID.anew}
          run={() => start.mutate("force")}
          close={() => setAsking(false)}
        >
          {SAID.anewWhat(library.files)}
        </Confirm>
      )}
    </div>
  );
}

/** How the last sync ended. */
function Latest({ library, state }: { library: LibraryItem; state: SyncState | undefined }) {
  const report = reportOf(state);
  const when = library.updated ? SAID.updated(ago(library.updated)) : SAID.never;
  if (state?.state === "cancelled") return <p>{SAID.stopped}</p>;
  if (!report) return <p>{when}.</p>;
  const parts = [
    report.added && SAID.added(report.added),
    report.changed && SAID.changed(report.changed),
    report.renamed && SAID.renamed(report.renamed),
    report.deleted && SAID.deleted(report.deleted),
  ].filter(Boolean);
  return (
    <p>
      {when}: {parts.join(", ") || SAID.nothing} <small>({took(report.seconds)})</small>
      {report.notice && <span className={styles.notice}>{report.notice}</span>}
    </p>
  );
}
