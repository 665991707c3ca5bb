import { IconDots } from "@tabler/icons-react";
import { memo, type Ref } from "react";
import type { FileItem } from "../../api/types";
import { number, say } from "../../language";
import { FileIcon } from "../../ui/FileIcon";
import { fileName, folderOf } from "../../ui/files";
import { dateOf } from "../rows";
import { day, size } from "../words";
import styles from "./files.module.css";
import { STATUS_NAMES, StatusIcon } from "./Status";

const SAID = say.library.list;

interface RowProps {
  ref: Ref<HTMLTableRowElement>;
  file: FileItem;
  index: number;
  top: number;
  active: number | null; // the column that Tab reaches
  shown: boolean; // beside the page
  acts: RowActs;
}

/** What a row asks for. It stays the same object, so that scrolling draws new rows only. */
export interface RowActs {
  open: (file: FileItem) => void;
  more: (file: FileItem, anchor: HTMLElement) => void;
}

/** One file of the list: what it is, what became of it and why, and what can be done. */
export const FileRow = memo(function FileRow(props: RowProps) {
  const { ref, file, index, top, active, shown, acts } = props;
  const name = fileName(file.file);
  return (
    <tr
      ref={ref}
      aria-rowindex={index + 2}
      aria-selected={shown}
      data-index={index}
      data-row={index}
      className={styles.row}
      style={{ transform: `translateY(${top}px)` }}
    >
      <td className={styles.cellName}>
        <span className={styles.format}>
          <FileIcon file={file.file} format={file.format} />
        </span>
        <div>
          <button
            type="button"
            data-column={0}
            tabIndex={active === 0 ? 0 : -1}
            className={styles.fileName}
            onClick={() => acts.open(file)}
          >
            {name}
          </button>
          <span className={styles.path}>{folderOf(file.file)}</span>
          {file.why && (
            <span className={styles.reason} data-status={file.status}>
              {file.why}
            </span>
          )}
        </div>
      </td>
      <td className={styles.cellStatus}>
        <StatusIcon status={file.status} />
        {STATUS_NAMES[file.status]}
      </td>
      <td className={styles.cellPages}>
        {file.pages > 0 && (
          <>
            {number(file.pages)} <span>{SAID.page(file.pages)}</span>
          </>
        )}
      </td>
      <td className={styles.cellSize}>{size(file.size)}</td>
      <td className={styles.cellDate}>{day(dateOf(file))}</td>
      <td className={styles.cellMore}>
        <button
          type="button"
          data-column={1}
          tabIndex={active === 1 ? 0 : -1}
          className={styles.more}
          aria-haspopup="menu"
          aria-label={SAID.actionsFor(name)}
          onClick={(event) => acts.more(file, event.currentTarget)}
        >
          <IconDots size={18} stroke={1.75} aria-hidden />
        </button>
      </td>
    </tr>
  );
});
