import type { SyncState } from "../api/types";
import { Progress } from "../ui/Progress";

export const STAGES: Record<string, string> = {
  scan: "Looking at files",
  read: "Reading files",
  embed: "Indexing passages",
  lines: "Indexing pages",
  pages: "Indexing pages",
  recognize: "Reading pictures",
  caption: "Describing photos",
  finish: "Tidying up",
};

/** One line and a bar: what a sync is doing. */
export function SyncBadge({ state }: { state: SyncState }) {
  const progress = state.progress;
  const stage = progress ? (STAGES[progress.stage] ?? progress.stage) : "Beginning";
  return <Progress label={stage} done={progress?.done ?? 0} total={progress?.total ?? null} />;
}
