import { useQuery } from "@tanstack/react-query";
import { memo, type RefObject, useEffect, useRef, useState } from "react";
import { get, url } from "../api/client";
import type { SpokenLine, TranscriptView, View } from "../api/types";
import { say } from "../language";
import { Marked } from "../ui/Marked";
import { Failure } from "../ui/Notice";
import { Waiting } from "../ui/Progress";
import { clock, lineAt } from "./moment";
import { type Place, placed } from "./place";
import styles from "./recording.module.css";

interface RecordingProps {
  view: View;
  place: Place;
  opened: number | undefined;
  library: string;
}

const SOON = 0.05; // seconds; a player may stop that much before the moment it was sent to

/** Sound or a video, at the second that was cited, above what is said in it. */
export function Recording({ view, place, opened, library }: RecordingProps) {
  const player = useRef<HTMLVideoElement & HTMLAudioElement>(null);
  const [now, setNow] = useState(0);
  const [silent, setSilent] = useState(false);
  const transcript = useQuery({
    queryKey: ["transcript", library, place],
    queryFn: ({ signal }) =>
      get<TranscriptView>(
        `/libraries/${library}/transcript`,
        { ...placed(place), path: place.file, page: place.page },
        signal,
      ),
    placeholderData: (before) => before,
  });
  const data = transcript.isPlaceholderData ? undefined : transcript.data;
  const start = data?.start;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the same place may be opened again
  useEffect(() => {
    if (start === undefined) return;
    setNow(start);
    seek(player.current, start);
  }, [start, opened]);
  const play = (second: number) => {
    seek(player.current, second);
    player.current?.play().catch(() => setSilent(true));
  };
  const shared = {
    ref: player,
    src: url(`/libraries/${library}/files/content`, { path: view.file }),
    controls: true,
    preload: "metadata",
    "aria-label": say.source.recording.player,
    onTimeUpdate: () => setNow(player.current?.currentTime ?? 0),
    onError: () => setSilent(true),
  } as const;
  return (
    <>
      {view.state !== "gone" && (
        <div className={styles.player}>
          {view.kind === "video" ? <video {...shared} /> : <audio {...shared} />}
          {silent && <p className={styles.silent}>{say.source.recording.notPlayed}</p>}
        </div>
      )}
      {transcript.isError && (
        <Failure error={transcript.error} again={() => transcript.refetch()} />
      )}
      {transcript.isPending && <Waiting label={say.source.opening} />}
      {transcript.data && <Lines lines={transcript.data.lines} now={now} play={play} />}
    </>
  );
}

interface LinesProps {
  lines: SpokenLine[];
  now: number;
  play: (second: number) => void;
}

/** What is said, each line with its time, which plays it. */
function Lines({ lines, now, play }: LinesProps) {
  const list = useRef<HTMLOListElement>(null);
  const current = lineAt(lines, now + SOON);
  const playing = useRef(play);
  playing.current = play;
  useInView(list, lines, current);
  if (!lines.length) return <p className={styles.none}>{say.source.recording.unheard}</p>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls is focusable
    <section className={styles.scroll} tabIndex={0} aria-label={say.source.recording.transcript}>
      <ol ref={list} className={styles.lines}>
        {lines.map((line, at) => (
          <Line
            key={`${line.start} ${line.text}`}
            line={line}
            current={at === current}
            play={playing}
          />
        ))}
      </ol>
    </section>
  );
}

interface LineProps {
  line: SpokenLine;
  current: boolean;
  play: RefObject<(second: number) => void>;
}

const Line = memo(function Line({ line, current, play }: LineProps) {
  const time = clock(line.start);
  return (
    <li data-begins={line.begins || undefined} aria-current={current ? "time" : undefined}>
      <button
        type="button"
        aria-label={say.source.recording.playFrom(time)}
        onClick={() => play.current(line.start)}
      >
        {time}
      </button>
      <span dir="auto">
        <Marked text={line.text} marks={line.marks} />
      </span>
    </li>
  );
});

/** The marked line comes into view when it is opened, and the one that is said while it plays. */
function useInView(
  list: RefObject<HTMLOListElement | null>,
  lines: SpokenLine[],
  current: number,
): void {
  const shown = useRef<SpokenLine[]>(null);
  useEffect(() => {
    const item = list.current?.children[current];
    const mark = shown.current === lines ? null : list.current?.querySelector("mark");
    shown.current = lines;
    (mark ?? item)?.scrollIntoView({ block: mark ? "center" : "nearest" });
  }, [list, lines, current]);
}

function seek(player: HTMLMediaElement | null, second: number): void {
  if (!player) return;
  const go = () => {
    player.currentTime = second;
  };
  if (player.readyState >= HTMLMediaElement.HAVE_METADATA) go();
  else player.addEventListener("loadedmetadata", go, { once: true });
}
