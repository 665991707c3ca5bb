import { IconFocusCentered, IconMinus, IconPlus } from "@tabler/icons-react";
import { type PointerEvent, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import { say } from "../language";
import { IconButton } from "../ui/Button";
import { drawnOf, type FileGraph, type Filter, filesOf, linksOf, MOST, shows } from "./graph";
import { colourOf } from "./groups";
import { named, shortened } from "./labels";
import styles from "./map.module.css";

const EDGE = 60; // pixels kept free around the whole map
const STILL = 4; // pixels that a press may move and be a click

const TOOLS = [
  [say.map.zoomIn, IconPlus, 1.5],
  [say.map.zoomOut, IconMinus, 1 / 1.5],
  [say.map.showAll, IconFocusCentered, 0],
] as const;
const RIGHT = { dx: "0.9em" };
const LEFT = { dx: "-0.9em", textAnchor: "end" } as const;

interface StageProps {
  graph: FileGraph;
  filter: Filter;
  groups: ReadonlyMap<string, number>;
  chosen: string | null;
  /** What stands out where no node is looked at. */
  members: string[] | null;
  choose: (path: string | null) => void;
}

/** The map as it is drawn; what is looked at stands out, the rest is pale. */
export function Stage({ graph, filter, groups, chosen, members, choose }: StageProps) {
  const svg = useRef<SVGSVGElement>(null);
  const pressed = useRef<string | null>(null); // on the map: the view stays where it is
  const [size, setSize] = useState({ width: 800, height: 600 });
  const [camera, setCamera] = useState<{ x: number; y: number; unit: number } | null>(null);
  const [pointed, point] = useState<string | null>(null);

  const spots = useMemo(() => {
    const shown = drawnOf(graph).filter(
      (path) => filter.relations.structure || !path.endsWith("/"),
    );
    return shown.map((path) => {
      const { label, x, y } = graph.getNodeAttributes(path);
      return { path, name: label, x, y };
    });
  }, [graph, filter.relations.structure]);
  const whole = useMemo(() => {
    const middle = (values: number[]) => {
      const [least, most] = [Math.min(...values), Math.max(...values)];
      return [(least + most) / 2, most - least] as const;
    };
    const [x, wide] = middle(spots.map((spot) => spot.x));
    const [y, high] = middle(spots.map((spot) => spot.y));
    const across = wide / Math.max(80, size.width - 2 * EDGE);
    return { x, y, unit: Math.max(across, high / Math.max(80, size.height - EDGE)) || 1 };
  }, [spots, size]);
  const { x, y, unit } = camera ?? whole;
  const [wide, high] = [size.width * unit, size.height * unit];
  /** Nearer by a factor above 1; what is at this many pixels from the middle stays there. */
  const zoom = (by: number, across = 0, along = 0) => {
    const shift = unit - unit / by;
    setCamera({ x: x + across * shift, y: y + along * shift, unit: unit / by });
  };

  useLayoutEffect(() => {
    if (!svg.current) return;
    setSize(svg.current.getBoundingClientRect()); // before it is seen at the size of none
    const resized = new ResizeObserver(([entry]) => entry && setSize(entry.contentRect));
    resized.observe(svg.current);
    return () => resized.disconnect();
  }, []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only where another node is chosen
  useEffect(() => {
    if (chosen === null || chosen === pressed.current) return;
    const spot = spots.find(({ path }) => path === chosen);
    if (spot) setCamera({ x: spot.x, y: spot.y, unit: Math.min(unit, whole.unit / 2) });
  }, [chosen, graph]);

  const from = useRef<{ x: number; y: number; moved: boolean } | null>(null);
  const onPointerMove = ({ clientX, clientY, pointerId, buttons }: PointerEvent) => {
    const start = from.current;
    const moved = start && Math.hypot(clientX - start.x, clientY - start.y);
    if (!buttons || !moved || (!start.moved && moved < STILL)) return;
    svg.current?.setPointerCapture(pointerId);
    setCamera({ x: x - (clientX - start.x) * unit, y: y - (clientY - start.y) * unit, unit });
    from.current = { x: clientX, y: clientY, moved: true };
  };
  const press = (path: string | null) => {
    if (from.current?.moved) return;
    pressed.current = path;
    choose(path);
  };

  const node = pointed ?? chosen;
  const around = node ? [node, ...linksOf(graph, filter, node).map(({ path }) => path)] : members;
  const lit = around && new Set(around);
  const turn = x + wide / 4; // from here on, names stand at the left of their dots
  const names = named(lit ? spots.filter(({ path }) => lit.has(path)) : spots, unit, turn);
  const drawn = useMemo(() => {
    const spotted = new Set(spots.map(({ path }) => path));
    const all = graph.mapEdges((key, link, one, other, a, b) => ({ key, link, one, other, a, b }));
    return all.filter((e) => shows(filter, e.link) && spotted.has(e.one) && spotted.has(e.other));
  }, [graph, filter, spots]);
  const bright = drawn.filter(({ one, other }) => {
    if (node) return one === node || other === node;
    return !lit || (lit.has(one) && lit.has(other));
  });
  const crowd = spots.length > 300 ? 0.6 : 1;
  /** Pixels of a dot: the more links, the larger. */
  const dot = (path: string) =>
    crowd * (groups.has(path) ? 4 + Math.min(6, graph.degree(path)) : 3);
  return (
    <div className={styles.stage} data-lit={lit !== null}>
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the groups beside it are for the keyboard */}
      <svg
        ref={svg}
        role="img"
        style={{ fontSize: unit }}
        aria-label={say.map.drawn(filesOf(graph).length)}
        viewBox={`${x - wide / 2} ${y - high / 2} ${wide} ${high}`}
        onClick={() => press(null)}
        onWheel={({ deltaY, nativeEvent: { offsetX, offsetY } }) => {
          const across = offsetX - size.width / 2;
          zoom(Math.exp(-deltaY / 500), across, offsetY - size.height / 2);
        }}
        onPointerDown={({ clientX, clientY }) => {
          from.current = { x: clientX, y: clientY, moved: false };
        }}
        onPointerMove={onPointerMove}
      >
        {bright.map(({ key, link, a, b }) => (
          <line key={key} data-relation={link.relation} x1={a.x} y1={a.y} x2={b.x} y2={b.y} />
        ))}
        {spots.map(({ path, x, y }) => (
          // biome-ignore lint/a11y/noStaticElementInteractions: the groups beside it are for the keyboard
          <circle
            key={path}
            cx={x}
            cy={y}
            data-pale={lit && !lit.has(path)}
            data-looked={path === node}
            style={{ fill: colourOf(groups.get(path)), r: dot(path) * unit }}
            onPointerEnter={() => point(path)}
            onPointerLeave={() => point(null)}
            onClick={(event) => {
              event.stopPropagation();
              press(path);
            }}
          />
        ))}
        {spots.map(
          ({ path, name, x, y }) =>
            (names.has(path) || path === node) && (
              <text
                key={path}
                x={x}
                y={y}
                data-looked={path === node}
                dy="0.35em"
                {...(x > turn ? LEFT : RIGHT)}
              >
                {path === node ? name : shortened(name)}
              </text>
            ),
        )}
      </svg>
      {groups.size > MOST && <small>{say.map.mostLinked(MOST)}</small>}
      <div className={styles.zoom}>
        {TOOLS.map(([label, Icon, by]) => (
          <IconButton key={label} label={label} onClick={() => (by ? zoom(by) : setCamera(null))}>
            <Icon size={18} stroke={1.75} aria-hidden />
          </IconButton>
        ))}
      </div>
    </div>
  );
}
