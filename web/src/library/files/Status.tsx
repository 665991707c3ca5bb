import {
  IconAlertCircle,
  IconCircleCheck,
  IconCircleHalf2,
  IconCircleMinus,
} from "@tabler/icons-react";
import type { FileStatus } from "../../api/types";
import { say } from "../../language";
import styles from "./files.module.css";

export const STATUS_NAMES: Record<FileStatus, string> = say.library.status;

const ICONS = {
  indexed: IconCircleCheck,
  partial: IconCircleHalf2,
  skipped: IconCircleMinus,
  failed: IconAlertCircle,
};

/** The status as a sign; beside it stands its name. */
export function StatusIcon({ status }: { status: FileStatus }) {
  const Icon = ICONS[status];
  return <Icon size={18} stroke={1.75} aria-hidden className={styles.sign} data-status={status} />;
}
