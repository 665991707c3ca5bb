// From where the map is looked at, so that something is seen as large as it can be.

import type Sigma from "sigma";
import type { CameraState } from "sigma/types";
import type { FileLink, FileNode } from "./graph";

const MARGIN = 70; // pixels kept free around what is shown
const WHOLE = { x: 0.5, y: 0.5, angle: 0, ratio: 1 };

/** Pixels at the right and the bottom that the card covers. */
export interface Covered {
  right: number;
  bottom: number;
}

/** The camera that shows all spots in the part that is not covered; not all too near. */
export function around(
  renderer: Sigma<FileNode, FileLink>,
  spots: { x: number; y: number }[],
  covered: Covered,
): CameraState {
  const [left, right] = extent(spots.map(({ x }) => x));
  const [top, bottom] = extent(spots.map(({ y }) => y));
  const { width, height } = renderer.getDimensions();
  const whole = { cameraState: WHOLE };
  const a = renderer.framedGraphToViewport({ x: left, y: top }, whole);
  const b = renderer.framedGraphToViewport({ x: right, y: bottom }, whole);
  const across = Math.abs(b.x - a.x) / Math.max(80, width - covered.right - 2 * MARGIN);
  const along = Math.abs(b.y - a.y) / Math.max(80, height - covered.bottom - 2 * MARGIN);
  const nearest = Math.max(0.05, Math.min(0.5, 4 / Math.sqrt(renderer.getGraph().order)));
  const ratio = Math.max(nearest, Math.min(1, Math.max(across, along)));
  const state = { x: (left + right) / 2, y: (top + bottom) / 2, angle: 0, ratio };
  const free = { x: (width - covered.right) / 2, y: (height - covered.bottom) / 2 };
  const middle = renderer.viewportToFramedGraph(free, { cameraState: state });
  return { ...state, x: 2 * state.x - middle.x, y: 2 * state.y - middle.y };
}

function extent(values: number[]): [number, number] {
  return [Math.min(...values), Math.max(...values)];
}
