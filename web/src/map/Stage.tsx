import { IconFocusCentered, IconMinus, IconPlus } from "@tabler/icons-react";
import { useEffect, useRef, useState } from "react";
import { say } from "../language";
import { Button, IconButton } from "../ui/Button";
import { Waiting } from "../ui/Progress";
import type { Covered } from "./camera";
import { type FileGraph, filesOf } from "./graph";
import styles from "./map.module.css";
import type { NamePlace } from "./nameplaces";
import { Scene, type View } from "./scene";

interface StageProps {
  graph: FileGraph;
  view: View;
  arranging: boolean;
  /** A node to point at, found in the search. */
  pointed: string | null;
  choose: (path: string | null) => void;
  lost: () => void;
  reset: () => void;
}

/** The drawn map, with its buttons. */
export function Stage(props: StageProps) {
  const { graph, view, arranging, pointed, reset } = props;
  const frame = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLDivElement>(null);
  const scene = useRef<Scene | null>(null);
  const pressed = useRef<string | null>(null); // on the map: the view stays where it is
  const latest = useRef(props);
  const [names, setNames] = useState<NamePlace[] | null>(null);
  latest.current = props;

  useEffect(() => {
    if (!canvas.current) return;
    const choose = (path: string | null) => {
      pressed.current = path;
      latest.current.choose(path);
    };
    const told = { choose, names: setNames, lost: () => latest.current.lost() };
    try {
      scene.current = new Scene(canvas.current, graph, latest.current.view, told);
    } catch {
      told.lost();
    }
    return () => {
      scene.current?.kill();
      scene.current = null;
    };
  }, [graph]);
  useEffect(() => scene.current?.show(view), [view]);
  useEffect(() => scene.current?.point(pointed), [pointed]);
  const aim = view.chosen ?? view.members?.[0] ?? null;
  useEffect(() => {
    if (arranging || aim === null || aim === pressed.current) return;
    pressed.current = null;
    const soon = requestAnimationFrame(() => scene.current?.fit(coveredOf(frame.current)));
    return () => cancelAnimationFrame(soon);
  }, [aim, arranging]);

  const { links } = view.shown;
  return (
    <div className={styles.stage} ref={frame}>
      <div
        ref={canvas}
        className={styles.canvas}
        role="img"
        aria-label={say.map.drawn(filesOf(graph).length, links)}
      />
      <div className={styles.names} aria-hidden>
        {names?.map(({ id, name, x, y }) => (
          <span key={id} style={{ left: x, top: y }}>
            {name}
          </span>
        ))}
      </div>
      <div className={styles.zoom}>
        <IconButton label={say.map.zoomIn} onClick={() => scene.current?.zoom(1.5)}>
          <IconPlus size={18} stroke={1.75} aria-hidden />
        </IconButton>
        <IconButton label={say.map.zoomOut} onClick={() => scene.current?.zoom(1 / 1.5)}>
          <IconMinus size={18} stroke={1.75} aria-hidden />
        </IconButton>
        <IconButton label={say.map.showAll} onClick={() => scene.current?.showAll()}>
          <IconFocusCentered size={18} stroke={1.75} aria-hidden />
        </IconButton>
      </div>
      {arranging && (
        <p className={styles.arranging}>
          <Waiting label={say.map.arranging} /> {say.map.arranging}
        </p>
      )}
      {links === 0 && (
        <div className={styles.noLinks} role="status">
          <p>{graph.size === 0 ? say.map.nothingShared : say.map.noLinks}</p>
          {graph.size > 0 && <Button onClick={reset}>{say.map.showAllLinks}</Button>}
        </div>
      )}
    </div>
  );
}

/** What the card hides of the map: a strip at its right or, where it is narrow, at the bottom. */
function coveredOf(frame: HTMLElement | null): Covered {
  const card = frame?.parentElement?.querySelector<HTMLElement>("[data-card]");
  if (!frame || !card) return { right: 0, bottom: 0 };
  const beside = card.offsetWidth < 0.6 * frame.offsetWidth;
  return beside
    ? { right: frame.offsetWidth - card.offsetLeft, bottom: 0 }
    : { right: 0, bottom: frame.offsetHeight - card.offsetTop };
}
