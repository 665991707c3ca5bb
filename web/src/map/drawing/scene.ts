// The map as it is drawn: sigma draws the nodes and finds what is under the pointer, `Lines` the
// links, `Overlay` the names. What is looked at stands out because all other layers fade (in the
// style sheet): hovering costs no more than the neighbours do, however large the map is.

import { UndirectedGraph } from "graphology";
import Sigma from "sigma";
import { at, countOf, type Model, type Shown } from "../graph";
import { DiscProgram, RingProgram } from "./dots";
import { type Spot, shortened } from "./labels";
import { type Frame, Lines } from "./lines";
import type { Look } from "./look";
import { type Focus, type GroupSpot, Overlay } from "./overlay";
import { Picking } from "./picking";

const HEAVY = 5_000; // links; more are left out while the view moves
const STILL = 140; // ms without a move after which the view stands still

interface Attributes {
  x: number;
  y: number;
  size: number;
  color: string;
  label: string;
  type: "file" | "folder";
  hidden: boolean;
}

/** How the nodes look, by node. */
export interface Nodes {
  sizes: Float32Array;
  colours: string[];
  drawn: Uint8Array;
}

/** Who hears of what happens on the map. */
export interface Told {
  hover: (node: number | null) => void;
  select: (node: number | null) => void;
  lost: () => void;
  /** Asked how many pixels at the right are hidden: names keep off them. */
  covered: () => number;
}

export class Scene {
  readonly renderer: Sigma;
  private readonly graph = new UndirectedGraph();
  private readonly attributes: Attributes[] = [];
  private readonly picking: Picking;
  private readonly lines: Lines;
  private readonly overlay: Overlay;
  private readonly resized: ResizeObserver;
  private lit = new Set<string>();
  private frame: Frame = { x: 0, y: 0, width: 1 };
  private shown: Shown = { similarity: 0, reference: 0, structure: 0 };
  private moving: ReturnType<typeof setTimeout> | null = null;
  private alive = true;

  /** Throws where the browser has no WebGL. */
  constructor(container: HTMLElement, model: Model, look: Look, told: Told) {
    model.nodes.forEach(({ kind }, node) => {
      const label = shortened(model.names[node] ?? "");
      const own = { x: 0, y: 0, size: 3, color: look.line, label, type: kind, hidden: true };
      this.graph.addNode(node, own);
    });
    this.graph.forEachNode((_, attributes) => this.attributes.push(attributes as Attributes));
    const many = model.nodes.length > 300;
    let overlay: Overlay | null = null; // sigma draws once while it is made
    this.renderer = new Sigma(this.graph, container, {
      allowInvalidContainer: true,
      nodeProgramClasses: { file: DiscProgram, folder: RingProgram },
      nodeReducer: (node, data) => ({ ...data, highlighted: this.lit.has(node) }),
      defaultDrawNodeLabel: (context, data) => overlay?.label(context, data as Spot),
      defaultDrawNodeHover: () => undefined, // the overlay writes above the nodes that are lit
      zoomToSizeRatioFunction: (ratio) => Math.sqrt(ratio) / roomIn(container),
      labelDensity: 1,
      labelGridCellSize: many ? 130 : 70,
      labelRenderedSizeThreshold: many ? 6 : 3,
      hideLabelsOnMove: model.nodes.length > 1_000,
      stagePadding: 40,
      minCameraRatio: 0.01,
      maxCameraRatio: 3,
      zoomingRatio: 1.5,
    });
    this.picking = new Picking(this.renderer);
    this.lines = new Lines(this.renderer, model);
    this.overlay = overlay = new Overlay(this.renderer, model, look, told.covered);
    this.renderer.resize(true); // the layers that are new
    this.renderer.on("afterRender", () => this.drawOver());
    this.renderer.getCamera().on("updated", () => this.moves());
    this.listen(told);
    this.resized = new ResizeObserver(() => this.redraw());
    this.resized.observe(container);
  }

  private listen(told: Told): void {
    const { renderer } = this;
    const point = (cursor: string) => {
      renderer.getContainer().style.cursor = cursor;
    };
    renderer.on("enterNode", ({ node }) => {
      if (renderer.getMouseCaptor().isMouseDown) return; // the map is being moved
      point("pointer");
      told.hover(Number(node));
    });
    renderer.on("leaveNode", () => {
      point("");
      told.hover(null);
    });
    renderer.on("clickNode", ({ node }) => told.select(Number(node)));
    renderer.on("clickStage", () => told.select(null));
    const lose = () => this.alive && told.lost();
    renderer.getCanvases().nodes?.addEventListener("webglcontextlost", lose);
  }

  /** New positions: x, y of each node. The nodes' attributes are written in place, no events. */
  place(positions: Float32Array): void {
    let [left, right, top, bottom] = [Infinity, -Infinity, Infinity, -Infinity];
    this.attributes.forEach((node, index) => {
      node.x = at(positions, 2 * index);
      node.y = at(positions, 2 * index + 1);
      if (node.hidden) return;
      left = Math.min(left, node.x);
      right = Math.max(right, node.x);
      top = Math.min(top, node.y);
      bottom = Math.max(bottom, node.y);
    });
    if (left > right) return;
    const width = Math.max(right - left, bottom - top) || 1;
    this.frame = { x: (left + right) / 2, y: (top + bottom) / 2, width };
    this.renderer.setCustomBBox({ x: [left, right], y: [top, bottom] });
    this.lines.place(positions);
    this.overlay.place(positions);
    this.picking.place(positions);
    this.renderer.getContainer().dataset.placed = "";
    this.moves();
    this.redraw();
  }

  dress({ sizes, colours, drawn }: Nodes, look: Look): void {
    this.attributes.forEach((node, index) => {
      node.size = at(sizes, index);
      node.color = colours[index] ?? look.line;
      node.hidden = !drawn[index];
    });
    this.lines.colour(colours, look);
    this.picking.dress(sizes, drawn);
    this.overlay.look = look;
    this.overlay.colours = colours;
    this.overlay.sizes = sizes;
    this.renderer.refresh({ schedule: true });
  }

  show(shown: Shown): void {
    this.shown = shown;
    this.renderer.scheduleRender();
  }

  name(groups: GroupSpot[]): void {
    this.overlay.name(groups);
    this.renderer.scheduleRender();
  }

  attend(focus: Focus): void {
    this.overlay.focus = focus;
    const before = this.lit;
    this.lit = new Set(litBy(focus).map(String));
    const nodes = [...new Set([...before, ...this.lit])];
    this.renderer.refresh({ partialGraph: { nodes }, skipIndexation: true, schedule: true });
    const { dataset } = this.renderer.getContainer();
    if (focus) dataset.attending = "";
    else delete dataset.attending;
  }

  /** What lies over the map has changed. */
  again(): void {
    this.renderer.scheduleRender();
  }

  kill(): void {
    this.alive = false;
    this.resized.disconnect();
    if (this.moving) clearTimeout(this.moving);
    this.renderer.kill();
  }

  /** Again, with the nodes where they are now; how they look is not asked anew. */
  private redraw(): void {
    this.renderer.refresh({ partialGraph: {}, schedule: true });
  }

  private moves(): void {
    if (this.moving) clearTimeout(this.moving);
    this.moving = setTimeout(() => {
      this.moving = null;
      this.renderer.scheduleRender();
    }, STILL);
  }

  private drawOver(): void {
    const light = !this.moving || countOf(this.shown) <= HEAVY;
    this.lines.draw(light ? this.shown : null, this.frame);
    this.overlay.draw();
  }
}

/** How large nodes are in a narrow map, as a part of what they are in a wide one. */
function roomIn(container: HTMLElement): number {
  const side = Math.min(container.offsetWidth, container.offsetHeight);
  return Math.max(0.55, Math.min(1, side / 640));
}

function litBy(focus: Focus): number[] {
  if (focus === null) return [];
  return "members" in focus ? focus.members : [focus.node, ...focus.links.map((l) => l.other)];
}
