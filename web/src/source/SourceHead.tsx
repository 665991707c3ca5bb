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
import { askAbout } from "../ask/scope";
import { say } from "../language";
import { IconButton } from "../ui/Button";
import { dayName } from "../ui/dates";
import { download } from "../ui/download";
import { Failure } from "../ui/Notice";
import { isShaped } from "./kinds";
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
  const about = [parts.join("/"), view?.title, view?.date && dayName(view.date)];
  const said = about.filter(Boolean).join(" · ");
  const opening = useMutation({
    mutationFn: (where: "program" | "folder") =>
      change("POST", `/libraries/${library}/files/open`, { path: place.file, in: where }),
  });
  return (
    <header className={styles.head}>
      <div className={styles.names}>
        <h2 tabIndex={-1} dir="auto" title={place.file}>
          {name}
        </h2>
        <p dir="auto" title={said}>
          {said}
        </p>
      </div>
      <div className={styles.tools}>
        {view && isShaped(view) && (
          <IconButton
            label={asText ? say.source.asPage : say.source.asText}
            aria-pressed={asText}
            onClick={() => setAsText(!asText)}
          >
            {asText ? <IconFileText {...ICON} /> : <IconAlignLeft {...ICON} />}
          </IconButton>
        )}
        <IconButton
          label={say.source.ask}
          onClick={() => navigate(askAbout(library, { paths: [place.file] }))}
        >
          <IconMessageCircle {...ICON} />
        </IconButton>
        <IconButton label={say.source.openProgram} onClick={() => opening.mutate("program")}>
          <IconExternalLink {...ICON} />
        </IconButton>
        <IconButton label={say.source.openFolder} onClick={() => opening.mutate("folder")}>
          <IconFolderOpen {...ICON} />
        </IconButton>
        <IconButton
          label={say.source.save}
          onClick={() =>
            download(
              url(`/libraries/${library}/files/content`, { path: place.file, download: true }),
              name,
            )
          }
        >
          <IconDownload {...ICON} />
        </IconButton>
        <IconButton label={say.source.close} onClick={close}>
          <IconX {...ICON} />
        </IconButton>
      </div>
      {opening.isError && <Failure error={opening.error} />}
    </header>
  );
}
