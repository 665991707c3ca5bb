// Where the map is looked at from.

import type Sigma from "sigma";
import type { CameraState } from "sigma/types";

const MARGIN = 60; // pixels kept free around what is fitted

/** Pixels at the right and the bottom that something covers. */
export interface Covered {
  right: number;
  bottom: number;
}

export function zoom(renderer: Sigma, factor: number): void {
  const camera = renderer.getCamera();
  go(renderer, { ...camera.getState(), ratio: camera.getState().ratio / factor });
}

export function showAll(renderer: Sigma): void {
  go(renderer, { x: 0.5, y: 0.5, angle: 0, ratio: 1 });
}

/** The node in the middle of what is not covered, and its neighbours within. */
export function centre(renderer: Sigma, nodes: string[], covered: Covered): void {
  const places = nodes.flatMap((node) => renderer.getNodeDisplayData(node) ?? []);
  const [first] = places;
  if (!first) return;
  const [x, y] = [first.x, first.y];
  const reach = [0, 0];
  for (const place of places) {
    reach[0] = Math.max(reach[0] ?? 0, Math.abs(place.x - x));
    reach[1] = Math.max(reach[1] ?? 0, Math.abs(place.y - y));
  }
  const [across = 0, along = 0] = reach;
  const box = { left: x - across, right: x + across, top: y - along, bottom: y + along };
  go(renderer, stateFor(renderer, box, covered, nearest(renderer)));
}

/** All these nodes, as large as they can be. */
export function showNodes(renderer: Sigma, nodes: string[], covered: Covered): void {
  const places = nodes.flatMap((node) => renderer.getNodeDisplayData(node) ?? []);
  if (places.length === 0) return;
  const [xs, ys] = [places.map((place) => place.x), places.map((place) => place.y)];
  const box = { left: least(xs), right: most(xs), top: least(ys), bottom: most(ys) };
  go(renderer, stateFor(renderer, box, covered, nearest(renderer) / 2));
}

interface Box {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

/** The camera that shows `box` where nothing covers it; no nearer than `near`, within the whole. */
function stateFor(renderer: Sigma, box: Box, covered: Covered, near: number): CameraState {
  const seen = { cameraState: { x: 0.5, y: 0.5, angle: 0, ratio: 1 } };
  const a = renderer.framedGraphToViewport({ x: box.left, y: box.top }, seen);
  const b = renderer.framedGraphToViewport({ x: box.right, y: box.bottom }, seen);
  const { width, height } = renderer.getDimensions();
  const free = { x: width - covered.right - 2 * MARGIN, y: height - covered.bottom - 2 * MARGIN };
  const wanted = Math.max(
    Math.abs(b.x - a.x) / Math.max(free.x, 80),
    Math.abs(b.y - a.y) / Math.max(free.y, 80),
  );
  const ratio = Math.max(near, Math.min(wanted, 1));
  const middle = { x: (box.left + box.right) / 2, y: (box.top + box.bottom) / 2 };
  return beside(renderer, { ...middle, angle: 0, ratio }, covered);
}

/** How near one goes by oneself: some twenty files side by side. */
function nearest(renderer: Sigma): number {
  return Math.max(0.04, Math.min(0.5, 4 / Math.sqrt(renderer.getGraph().order)));
}

function least(values: number[]): number {
  return values.reduce((a, b) => Math.min(a, b));
}

function most(values: number[]): number {
  return values.reduce((a, b) => Math.max(a, b));
}

/** `state`, moved so that its middle stands in the middle of what is free. */
function beside(renderer: Sigma, state: CameraState, covered: Covered): CameraState {
  const { width, height } = renderer.getDimensions();
  const seen = { cameraState: state };
  const middle = renderer.viewportToFramedGraph({ x: width / 2, y: height / 2 }, seen);
  const free = renderer.viewportToFramedGraph(
    { x: (width - covered.right) / 2, y: (height - covered.bottom) / 2 },
    seen,
  );
  return { ...state, x: state.x + middle.x - free.x, y: state.y + middle.y - free.y };
}

function go(renderer: Sigma, state: CameraState): void {
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
  if (still) renderer.getCamera().setState(state);
  else renderer.getCamera().animate(state, { duration: 350 });
}
