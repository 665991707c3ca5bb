import { IconRefresh } from "@tabler/icons-react";
import { Link, useSearchParams } from "react-router";
import type { FileStatus, SyncState } from "../../api/types";
import { say } from "../../language";
import { useSource } from "../../source/place";
import { Button, IconButton } from "../../ui/Button";
import { Failure } from "../../ui/Notice";
import shared from "../library.module.css";
import type { ProblemGroup } from "../problems";
import { keyOf } from "../rows";
import { reportOf, useReread } from "../sync";
import { toTab } from "../Tabs";
import styles from "./files.module.css";
import { StatusIcon } from "./Status";

const FIRST = 8; // files of a group that are shown here; the list below has them all
const SAID = say.library.unread;

interface ProblemsProps {
  groups: ProblemGroup[];
  sync: SyncState | undefined;
  /** The library that reads a file again; null: none does here. */
  name: string | null;
  show: (status: FileStatus) => void;
}

/** What was not read, and why, with what can be done about it; what is fine is not told here. */
export function Problems({ groups, sync, name, show }: ProblemsProps) {
  const unreadable = reportOf(sync)?.unreadable ?? [];
  const urgent = groups.filter((group) => group.status !== "skipped");
  const skipped = groups.filter((group) => group.status === "skipped");
  const aside = skipped.reduce((sum, group) => sum + group.files.length, 0);
  if (groups.length === 0 && unreadable.length === 0) return null;
  return (
    <section className={shared.section} aria-labelledby="problems">
      <h2 id="problems">{SAID.title}</h2>
      {unreadable.length > 0 && <Unreadable folders={unreadable} />}
      {urgent.map((group) => (
        <Group key={group.title} {...{ group, name, show }} />
      ))}
      {skipped.length > 0 && (
        <details className={styles.aside} open={urgent.length === 0 && skipped.length < 3}>
          <summary>{SAID.skipped(aside)}</summary>
          {skipped.map((group) => (
            <Group key={group.title} {...{ group, name, show }} />
          ))}
        </details>
      )}
    </section>
  );
}

interface GroupProps {
  group: ProblemGroup;
  name: string | null;
  show: (status: FileStatus) => void;
}

function Group({ group, name, show }: GroupProps) {
  const [search] = useSearchParams();
  const source = useSource();
  const reread = useReread(name ?? "");
  const many = group.files.length > FIRST;
  return (
    <div className={styles.group}>
      <StatusIcon status={group.status} />
      <h3>
        {group.title} <small>{say.library.files(group.files.length)}</small>
      </h3>
      <p>
        {group.advice}{" "}
        {group.way && <Link to={toTab(search, group.way)}>{SAID.ways[group.way]}</Link>}
      </p>
      <details open={group.status === "failed" && !many}>
        <summary>{many ? SAID.first(FIRST) : SAID.which}</summary>
        <ul className={styles.groupFiles}>
          {group.files.slice(0, FIRST).map((file) => (
            <li key={keyOf(file)}>
              <div>
                <button type="button" onClick={() => source.open({ file: file.file })}>
                  {file.file}
                </button>
                <p>{file.why}</p>
              </div>
              {name !== null && (
                <IconButton
                  label={SAID.reread(file.file)}
                  disabled={reread.isPending}
                  onClick={() => reread.mutate(file.file)}
                >
                  <IconRefresh size={18} stroke={1.75} aria-hidden />
                </IconButton>
              )}
            </li>
          ))}
        </ul>
        {many && (
          <Button kind="quiet" onClick={() => show(group.status)}>
            {SAID.showAll}
          </Button>
        )}
      </details>
      {reread.error && <Failure error={reread.error} />}
    </div>
  );
}

function Unreadable({ folders }: { folders: { folder: string; reason: string }[] }) {
  return (
    <div className={styles.group}>
      <StatusIcon status="failed" />
      <h3>
        {SAID.folders} <small>{SAID.folderCount(folders.length)}</small>
      </h3>
      <p>{SAID.foldersAdvice}</p>
      <ul className={styles.groupFiles}>
        {folders.map(({ folder, reason }) => (
          <li key={folder}>
            <div>
              {folder || SAID.itself}
              <p>{reason}</p>
            </div>
          </li>
        ))}
      </ul>
    </div>
  );
}
