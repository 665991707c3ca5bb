import { IconRefresh } from "@tabler/icons-react";
import { Link, useSearchParams } from "react-router";
import type { FileStatus, SyncState } from "../../api/types";
import { useSource } from "../../source/place";
import { Button, IconButton } from "../../ui/Button";
import { Failure } from "../../ui/Notice";
import shared from "../library.module.css";
import type { ProblemGroup, Way } from "../problems";
import { keyOf } from "../rows";
import { reportOf, useReread } from "../sync";
import { toTab } from "../Tabs";
import { count } from "../words";
import styles from "./files.module.css";
import { StatusIcon } from "./Status";

const FIRST = 8; // files of a group that are shown here; the list below has them all
const WAYS: Record<Way, string> = { models: "See the models", settings: "See the settings" };

interface ProblemsProps {
  groups: ProblemGroup[];
  sync: SyncState | undefined;
  name: string;
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
      <h2 id="problems">What was not read, and why</h2>
      {unreadable.length > 0 && <Unreadable folders={unreadable} />}
      {urgent.map((group) => (
        <Group key={group.title} {...{ group, name, show }} />
      ))}
      {skipped.length > 0 && (
        <details className={styles.aside} open={urgent.length === 0 && skipped.length < 3}>
          <summary>{count(aside, "file")} skipped, as there is nothing to read in them</summary>
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
  name: string;
  show: (status: FileStatus) => void;
}

function Group({ group, name, show }: GroupProps) {
  const [search] = useSearchParams();
  const source = useSource();
  const reread = useReread(name);
  const many = group.files.length > FIRST;
  return (
    <div className={styles.group}>
      <StatusIcon status={group.status} />
      <h3>
        {group.title} <small>{count(group.files.length, "file")}</small>
      </h3>
      <p>
        {group.advice} {group.way && <Link to={toTab(search, group.way)}>{WAYS[group.way]}</Link>}
      </p>
      <details open={group.status === "failed" && !many}>
        <summary>{many ? `The first ${FIRST} files` : "Which files"}</summary>
        <ul className={styles.groupFiles}>
          {group.files.slice(0, FIRST).map((file) => (
            <li key={keyOf(file)}>
              <div>
                <button type="button" onClick={() => source.open({ file: file.file })}>
                  {file.file}
                </button>
                <p>{file.reason}</p>
              </div>
              <IconButton
                label={`Read ${file.file} again`}
                disabled={reread.isPending}
                onClick={() => reread.mutate(file.file)}
              >
                <IconRefresh size={18} stroke={1.75} aria-hidden />
              </IconButton>
            </li>
          ))}
        </ul>
        {many && (
          <Button kind="quiet" onClick={() => show(group.status)}>
            Show all in the list
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
        Folders that could not be opened <small>{count(folders.length, "folder")}</small>
      </h3>
      <p>Give your user the right to open them, then update.</p>
      <ul className={styles.groupFiles}>
        {folders.map(({ folder, reason }) => (
          <li key={folder}>
            <div>
              {folder || "The folder itself"}
              <p>{reason}</p>
            </div>
          </li>
        ))}
      </ul>
    </div>
  );
}
