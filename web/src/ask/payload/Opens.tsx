import type { ReactNode } from "react";
import { say } from "../../language";
import { pageWords } from "../../source/moment";
import { useSource } from "../../source/place";
import { fileName, folderOf } from "../../ui/files";
import ask from "../ask.module.css";
import { type Found, placeOf } from "./found";
import styles from "./payload.module.css";

interface OpensProps {
  found: Found;
  /** What it is called; else the file's name. */
  name?: string;
  /** What is said of it beside; else where in its folder it stands. */
  beside?: string;
  /** A picture before the words. */
  children?: ReactNode;
}

/** A place in a file, which a press opens; words alone where no file is named. */
export function Opens({ found, name, beside, children }: OpensProps) {
  const { open } = useSource();
  const words = (
    <>
      {children}
      <span className={ask.sourceText}>
        <strong>{name ?? (fileName(found.file) || whereIn(found))}</strong>
        <small>{beside ?? (found.file && placeWords(found))}</small>
      </span>
    </>
  );
  if (!found.file) return <p className={styles.opens}>{words}</p>;
  return (
    <button type="button" className={styles.opens} onClick={() => open(placeOf(found))}>
      {words}
    </button>
  );
}

/** "home · page 3 · Care". */
function placeWords(found: Found): string {
  return [folderOf(found.file), whereIn(found), found.headings.at(-1)].filter(Boolean).join(" · ");
}

/** "page 3"; "" where no place is known. */
export function whereIn({ file, page, line }: Found): string {
  if (page) return pageWords(file, page, say.ask.page);
  return line ? say.ask.line(line) : "";
}
