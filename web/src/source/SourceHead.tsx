import {
  IconAlignLeft,
  IconDownload,
  IconExternalLink,
  IconFileText,
  IconFolderOpen,
  IconMessageCircle,
  IconX,
} from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "react-router";
import { change, url } from "../api/client";
import type { View } from "../api/types";
import { LIBRARY } from "../app/library";
import { IconButton } from "../ui/Button";
import { download } from "../ui/download";
import { Failure } from "../ui/Notice";
import { isDocument, isDrawn } from "./kinds";
import type { Place } from "./place";
import styles from "./source.module.css";

interface HeadProps {
  place: Place;
  view: View | undefined;
  library: string;
  close: () => void;
  asText: boolean;
  setAsText: (on: boolean) => void;
}

const ICON = { size: 18, stroke: 1.75, "aria-hidden": true } as const;

/** The file's name, and what can be done with it. */
export function SourceHead({ place, view, library, close, asText, setAsText }: HeadProps) {
  const navigate = useNavigate();
  const parts = place.file.split("/");
  const name = parts.pop() ?? place.file;
  const shaped = view && (isDrawn(view) || isDocument(view));
  const opening = useMutation({
    mutationFn: (where: "program" | "folder") =>
      change("POST", `/libraries/${library}/files/open`, { path: place.file, in: where }),
  });
  return (
    <header className={styles.head}>
      <div className={styles.names}>
        <h2 tabIndex={-1}>{name}</h2>
        <p>{[parts.join("/"), view?.title, view?.date].filter(Boolean).join(" · ")}</p>
      </div>
      <div className={styles.tools}>
        {shaped && (
          <IconButton
            label={asText ? "Show the page" : "Show the text that Manole reads"}
            aria-pressed={asText}
            onClick={() => setAsText(!asText)}
          >
            {asText ? <IconFileText {...ICON} /> : <IconAlignLeft {...ICON} />}
          </IconButton>
        )}
        <IconButton
          label="Ask about this file"
          onClick={() =>
            navigate(`/ask?${new URLSearchParams({ [LIBRARY]: library, scope: place.file })}`)
          }
        >
          <IconMessageCircle {...ICON} />
        </IconButton>
        <IconButton label="Open in its program" onClick={() => opening.mutate("program")}>
          <IconExternalLink {...ICON} />
        </IconButton>
        <IconButton label="Show in its folder" onClick={() => opening.mutate("folder")}>
          <IconFolderOpen {...ICON} />
        </IconButton>
        <IconButton
          label="Save a copy"
          onClick={() =>
            download(
              url(`/libraries/${library}/files/content`, { path: place.file, download: true }),
              name,
            )
          }
        >
          <IconDownload {...ICON} />
        </IconButton>
        <IconButton label="Close the source" onClick={close}>
          <IconX {...ICON} />
        </IconButton>
      </div>
      {opening.isError && <Failure error={opening.error} />}
    </header>
  );
}
