import { useState } from "react";
import { url } from "../api/client";
import { kindOf } from "../ui/files";
import styles from "./source.module.css";

interface ThumbnailProps {
  library: string;
  file: string;
  page: number | null;
  width: number;
}

/** A small picture of a page; nothing for files that have none. */
export function Thumbnail({ library, file, page, width }: ThumbnailProps) {
  const [broken, setBroken] = useState(false);
  const kind = kindOf(file, null);
  if (broken || (kind !== "pdf" && kind !== "image")) return null;
  return (
    <img
      className={styles.thumbnail}
      src={url(`/libraries/${library}/pages`, { path: file, page: page ?? 1, width: 160 })}
      width={width}
      alt=""
      loading="lazy"
      onError={() => setBroken(true)}
    />
  );
}
