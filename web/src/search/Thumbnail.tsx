import { useState } from "react";
import { url } from "../api/client";
import { FileIcon } from "../ui/FileIcon";
import { kindOf } from "../ui/files";
import styles from "./search.module.css";

const WIDTH = 160; // twice what is shown, for fine screens

/** A page's picture in a frame of fixed size; an icon for what has none. */
export function Thumbnail(props: {
  library: string;
  file: string;
  page: number | null;
  format: string | null;
}) {
  const { library, file, page, format } = props;
  const [broken, setBroken] = useState(false);
  const kind = kindOf(file, format);
  if (broken || (kind !== "pdf" && kind !== "image")) {
    return (
      <span className={styles.icon}>
        <FileIcon file={file} format={format} size={24} />
      </span>
    );
  }
  const query = { path: file, page: page ?? 1, width: WIDTH };
  return (
    <img
      className={styles.thumbnail}
      data-kind={kind}
      src={url(`/libraries/${library}/pages`, query)}
      alt=""
      width={72}
      height={kind === "pdf" ? 96 : 72}
      loading="lazy"
      decoding="async"
      onError={() => setBroken(true)}
    />
  );
}
