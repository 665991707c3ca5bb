import { type ReactNode, useState } from "react";
import { url } from "../api/client";
import { kindOf } from "../ui/files";
import styles from "./source.module.css";

interface ThumbnailProps {
  library: string;
  file: string;
  page: number | null;
  width: number;
  /** How many pixels the picture has; it is shown smaller on fine screens. */
  pixels?: number;
  /** What stands there for files that have none. */
  otherwise?: ReactNode;
}

/** A small picture of a page. */
export function Thumbnail(props: ThumbnailProps) {
  const { library, file, page, width, pixels = 160, otherwise = null } = props;
  const [broken, setBroken] = useState(false);
  const kind = kindOf(file, null);
  if (broken || (kind !== "pdf" && kind !== "image")) return otherwise;
  return (
    <img
      className={styles.thumbnail}
      src={url(`/libraries/${library}/pages`, { path: file, page: page ?? 1, width: pixels })}
      width={width}
      alt=""
      loading="lazy"
      onError={() => setBroken(true)}
    />
  );
}
