import { memo } from "react";
import { useSource } from "../source/place";
import { dayName, monthName, shortWeekday, weekday } from "../ui/dates";
import { FileIcon } from "../ui/FileIcon";
import { fileName, folderOf } from "../ui/files";
import { SourceLink } from "./SourceLink";
import type { Row } from "./timeline";
import styles from "./timeline.module.css";

interface DayRowProps {
  row: Row;
  index: number;
  /** Whether Tab leads here. */
  stop: boolean;
  onFocus: (index: number) => void;
}

/** A month's heading, or a file with its day where it is the day's first. */
export const DayRow = memo(function DayRow({ row, index, stop, onFocus }: DayRowProps) {
  const { place } = useSource();
  if (row.kind === "month") return <h2 className={styles.month}>{monthName(row.month)}</h2>;
  const { file, title, format } = row.file;
  return (
    <div className={styles.dated} data-first={row.first}>
      {row.first ? (
        <h3>
          <span aria-hidden>
            <b>{Number(row.date.slice(8))}</b> {shortWeekday(row.date)}
          </span>
          <span className="hidden">
            {weekday(row.date)}, {dayName(row.date)}
          </span>
        </h3>
      ) : (
        <span />
      )}
      <SourceLink
        place={{ file }}
        className={styles.file}
        data-row={index}
        tabIndex={stop ? 0 : -1}
        aria-current={place?.file === file || undefined}
        onFocus={() => onFocus(index)}
      >
        <FileIcon file={file} format={format} />
        <span>
          {title || fileName(file)}
          <small>{title ? file : folderOf(file)}</small>
        </span>
      </SourceLink>
    </div>
  );
});
