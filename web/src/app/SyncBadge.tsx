import type { SyncState } from "../api/types";
import { say } from "../language";
import { Progress } from "../ui/Progress";

export const STAGES = say.app.stages;

/** One line and a bar: what a sync is doing. */
export function SyncBadge({ state }: { state: SyncState }) {
  const progress = state.progress;
  const stage = progress ? (STAGES[progress.stage] ?? progress.stage) : say.app.beginning;
  return <Progress label={stage} done={progress?.done ?? 0} total={progress?.total ?? null} />;
}
