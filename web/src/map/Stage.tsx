import { IconFocusCentered, IconMinus, IconPlus } from "@tabler/icons-react";
import { type ReactNode, type Ref, useEffect, useImperativeHandle, useRef } from "react";
import { Button, IconButton } from "../ui/Button";
import { Waiting } from "../ui/Progress";
import { type Covered, centre, showAll, showNodes, zoom } from "./drawing/camera";
import { lookOf } from "./drawing/look";
import type { Focus } from "./drawing/overlay";
import { type Nodes, Scene } from "./drawing/scene";
import { countOf, type Model, type Shown } from "./graph";
import type { Layout } from "./layout/useLayout";
import styles from "./map.module.css";
import { counted } from "./words";

export interface StageHandle {
  /** A node, and its neighbours around it. */
  centre: (node: number, around: number[]) => void;
  /** Null: everything. */
  fit: (nodes: number[] | null) => void;
}

interface StageProps {
  ref: Ref<StageHandle>;
  model: Model;
  layout: Layout;
  nodes: Nodes;
  shown: Shown;
  focus: Focus;
  dark: boolean;
  hover: (node: number | null) => void;
  select: (node: number | null) => void;
  lost: () => void;
  reset: () => void;
  children: ReactNode;
}

/** The drawn map, with its buttons and whatever lies over it. */
export function Stage(props: StageProps) {
  const { ref, model, layout, nodes, shown, focus, dark, reset, children } = props;
  const { positions, groups, arranging } = layout;
  const frame = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLDivElement>(null);
  const scene = useRef<Scene | null>(null);
  const latest = useRef(props);
  latest.current = props;

  useEffect(() => {
    const box = canvas.current;
    if (!box) return;
    const told = {
      hover: (node: number | null) => latest.current.hover(node),
      select: (node: number | null) => latest.current.select(node),
      lost: () => latest.current.lost(),
      covered: () => coveredOf(frame.current).right,
    };
    let own: Scene;
    try {
      own = new Scene(box, model, lookOf(latest.current.dark), told);
    } catch {
      told.lost();
      return;
    }
    scene.current = own;
    own.dress(latest.current.nodes, lookOf(latest.current.dark));
    const deaf = positions.listen((now) => own.place(now));
    return () => {
      deaf();
      own.kill();
      scene.current = null;
    };
  }, [model, positions]);
  useEffect(() => scene.current?.dress(nodes, lookOf(dark)), [nodes, dark]);
  useEffect(() => scene.current?.show(shown), [shown]);
  useEffect(() => scene.current?.name(groups?.list ?? []), [groups]);
  useEffect(() => scene.current?.attend(focus), [focus]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the card, which covers names
  useEffect(() => scene.current?.again(), [children]);

  useImperativeHandle(ref, () => {
    // The card comes and goes with the choice: what it covers is measured once it is there.
    const soon = (move: (own: Scene, covered: Covered) => void) =>
      requestAnimationFrame(() => scene.current && move(scene.current, coveredOf(frame.current)));
    return {
      centre: (node, around) =>
        soon((own, covered) => centre(own.renderer, [node, ...around].map(String), covered)),
      fit: (wanted) =>
        soon((own, covered) =>
          wanted ? showNodes(own.renderer, wanted.map(String), covered) : showAll(own.renderer),
        ),
    };
  }, []);
  const turn = (factor: number) => scene.current && zoom(scene.current.renderer, factor);
  const links = countOf(shown);
  const drawing = `${counted(model.files, "file")} and ${counted(links, "link")}`;
  const said = `Map of ${drawing}, drawn. The list says the same and works by keyboard.`;
  return (
    <div className={styles.stage} ref={frame}>
      <div ref={canvas} className={styles.canvas} role="img" aria-label={said} />
      {children}
      <div className={styles.zoom}>
        <IconButton label="Zoom in" onClick={() => turn(1.5)}>
          <IconPlus size={18} stroke={1.75} aria-hidden />
        </IconButton>
        <IconButton label="Zoom out" onClick={() => turn(1 / 1.5)}>
          <IconMinus size={18} stroke={1.75} aria-hidden />
        </IconButton>
        <IconButton
          label="Show all"
          onClick={() => scene.current && showAll(scene.current.renderer)}
        >
          <IconFocusCentered size={18} stroke={1.75} aria-hidden />
        </IconButton>
      </div>
      {arranging && (
        <p className={styles.arranging}>
          <Waiting label="Arranging the map" /> Arranging {counted(model.files, "file")}
        </p>
      )}
      {links === 0 && <NoLinks model={model} reset={reset} />}
    </div>
  );
}

function NoLinks({ model, reset }: { model: Model; reset: () => void }) {
  const none = model.weights.length === 0;
  return (
    <div className={styles.noLinks} role="status">
      <p>
        {none
          ? "These files have nothing in common: none are alike, name the same, or share a folder."
          : "No links at this setting. Lower the similarity, or switch a relation on."}
      </p>
      {!none && <Button onClick={reset}>Show all links</Button>}
    </div>
  );
}

/** What the card hides of the map: a strip at its right or, where it is narrow, at the bottom. */
function coveredOf(frame: HTMLElement | null): Covered {
  const card = frame?.querySelector<HTMLElement>("[data-card]");
  if (!frame || !card) return { right: 0, bottom: 0 };
  const beside = card.offsetWidth < 0.6 * frame.offsetWidth;
  return beside
    ? { right: frame.offsetWidth - card.offsetLeft, bottom: 0 }
    : { right: 0, bottom: frame.offsetHeight - card.offsetTop };
}
