// The map as sigma draws it: its own nodes, links, labels and camera. What is looked at stands out
// because its reducers make the rest pale.

import Sigma from "sigma";
import { EdgeLineProgram, NodePointProgram } from "sigma/rendering";
import type { NodeDisplayData } from "sigma/types";
import { around, type Covered } from "./camera";
import { colourOf, type Look } from "./colours";
import type { Filter, Shown } from "./graph";
import { type FileGraph, type FileLink, type FileNode, isDrawn, linksOf, shows } from "./graph";
import type { Groups } from "./groups";
import { type Box, plateOf, type Spot, writeName, writePlate } from "./labels";
import { boxOf, type NamePlace, namePlaces } from "./nameplaces";

const REST = 120; // ms without a change, after which the view is at rest
const NAMED = 20; // neighbours that are all named
const MANY = 1_000; // links; more are drawn pale
const HEAVY = 5_000; // links; more are drawn by quicker programs, and not while the view moves
const QUICK = {
  nodeProgramClasses: { circle: NodePointProgram },
  edgeProgramClasses: { line: EdgeLineProgram },
  hideEdgesOnMove: true,
  hideLabelsOnMove: true,
};

/** What is drawn, and what of it is looked at. */
export interface View {
  filter: Filter;
  shown: Shown;
  groups: Groups;
  look: Look;
  chosen: string | null;
  members: string[] | null;
}

export interface Told {
  choose: (path: string | null) => void;
  /** The view came to rest, or (null) began to move. */
  names: (places: NamePlace[] | null) => void;
  lost: () => void;
}

interface Lit {
  node: string | null;
  nodes: Set<string>;
}

export class Scene {
  private readonly renderer: Sigma<FileNode, FileLink>;
  private readonly resized: ResizeObserver;
  private readonly duration = matchMedia("(prefers-reduced-motion: reduce)").matches ? 1 : 350;
  private pointed: string | null = null;
  private lit: Lit | null = null;
  private dots = new Map<string, Spot>();
  private taken: Box[] | null = null; // by dots and names, in this picture
  private most = 1; // links of one node
  private resting: ReturnType<typeof setTimeout> | undefined;

  /** Throws where the browser has no WebGL. */
  constructor(
    private readonly container: HTMLElement,
    private readonly graph: FileGraph,
    private view: View,
    private readonly told: Told,
  ) {
    const many = graph.order > 300;
    this.measure();
    this.renderer = new Sigma<FileNode, FileLink>(graph, container, {
      allowInvalidContainer: true,
      ...(graph.size > HEAVY && QUICK),
      nodeReducer: (path, node) => this.nodeOf(path, node),
      edgeReducer: (edge, link) => this.linkOf(edge, link),
      defaultDrawNodeLabel: (context, data) => {
        if (data.key !== this.lit?.node) writeName(context, data, this.view.look, this.room());
      },
      defaultDrawNodeHover: (context, data) => writePlate(context, data, this.view.look),
      renderLabels: false, // not in the picture that sigma draws while it is made
      zIndex: true,
      labelDensity: 1,
      labelGridCellSize: many ? 140 : 90,
      labelRenderedSizeThreshold: many ? 6 : 3,
      stagePadding: 45,
      minCameraRatio: 0.01,
      maxCameraRatio: 3,
    });
    this.renderer.on("beforeRender", () => {
      this.taken = null;
    });
    this.renderer.setSetting("renderLabels", true);
    this.renderer.on("enterNode", ({ node }) => this.point(node));
    this.renderer.on("leaveNode", () => this.point(null));
    this.renderer.on("clickNode", ({ node }) => told.choose(node));
    this.renderer.on("clickStage", () => told.choose(null));
    this.renderer.on("afterRender", () => this.rest());
    this.renderer.getCanvases().nodes?.addEventListener("webglcontextlost", told.lost);
    this.resized = new ResizeObserver(() => this.renderer.refresh({ schedule: true }));
    this.resized.observe(container);
  }

  show(view: View): void {
    this.view = view;
    this.measure();
    this.renderer.refresh({ schedule: true });
  }

  /** A node that is pointed at: on the map, or in the search. */
  point(path: string | null): void {
    if (path === this.pointed) return;
    this.pointed = path;
    this.container.style.cursor = path === null ? "" : "pointer";
    this.measure();
    this.renderer.refresh({ schedule: true, skipIndexation: true });
  }

  zoom(factor: number): void {
    this.renderer.getCamera().animatedZoom({ factor, duration: this.duration });
  }

  showAll(): void {
    this.renderer.getCamera().animatedReset({ duration: this.duration });
  }

  /** Shows what is looked at in the part of the map that is not covered. */
  fit(covered: Covered): void {
    const spots = [...(this.lit?.nodes ?? [])].flatMap(
      (path) => this.renderer.getNodeDisplayData(path) ?? [],
    );
    if (spots.length === 0) return;
    const state = around(this.renderer, spots, covered);
    this.renderer.getCamera().animate(state, { duration: this.duration });
  }

  kill(): void {
    this.resized.disconnect();
    clearTimeout(this.resting);
    this.renderer.getCanvases().nodes?.removeEventListener("webglcontextlost", this.told.lost);
    this.renderer.kill();
  }

  private measure(): void {
    const { shown, filter, chosen, members } = this.view;
    this.most = Math.max(1, ...shown.degrees.values());
    const node = this.pointed ?? chosen;
    if (node !== null && this.graph.hasNode(node)) {
      const around = linksOf(this.graph, filter, node).map(({ other }) => other);
      this.lit = { node, nodes: new Set([node, ...around]) };
    } else this.lit = members && { node: null, nodes: new Set(members) };
  }

  private nodeOf(path: string, node: FileNode): Partial<NodeDisplayData> {
    const { lit, graph } = this;
    const { look, filter, groups, shown, chosen } = this.view;
    const pale = lit !== null && !lit.nodes.has(path);
    const group = groups.of.get(path) ?? -1;
    const crowd = Math.min(1, Math.log10(Math.max(graph.order, 30) / 30) / 2.5); // 1: 10,000
    const [least, most] = [5.5 - 3.5 * crowd, 12 - 8 * crowd];
    const size = least + (most - least) * Math.sqrt((shown.degrees.get(path) ?? 0) / this.most);
    const own = node.kind === "folder" ? look.folder : colourOf(group, look.dark);
    return {
      x: node.x,
      y: node.y,
      label: pale ? null : node.label,
      size: node.kind === "folder" ? least * 0.7 : size,
      color: pale ? look.pale : own,
      hidden: !isDrawn(filter, node),
      highlighted: lit?.node === path || chosen === path,
      forceLabel: lit !== null && !pale && lit.nodes.size <= NAMED,
      zIndex: pale ? 0 : 1,
    };
  }

  private linkOf(edge: string, link: FileLink) {
    const { lit, graph } = this;
    const { filter, look, shown } = this.view;
    const ends: string[] = lit === null ? [] : graph.extremities(edge);
    const bright = lit?.node
      ? ends.includes(lit.node)
      : lit !== null && ends.every((end) => lit.nodes.has(end));
    const { colour, lit: strong, size } = look.links[link.relation];
    return {
      hidden: !shows(filter, link) || (lit !== null && !bright),
      color: bright ? strong : shown.links > MANY ? look.pale : colour,
      size: bright ? 1.4 * size : size,
      zIndex: bright ? 1 : 0,
    };
  }

  /** Tells where groups' names have room, once nothing moves. */
  private rest(): void {
    if (this.resting === undefined) this.told.names(null);
    clearTimeout(this.resting);
    this.resting = setTimeout(() => {
      this.resting = undefined;
      this.told.names(this.lit ? null : this.names());
    }, REST);
  }

  private names(): NamePlace[] {
    const taken = this.room();
    const groups = this.view.groups.list.map(({ id, name, files }) => ({
      id,
      name,
      dots: files.flatMap((file) => this.dots.get(file) ?? []),
    }));
    return namePlaces(groups, taken, this.renderer.getDimensions());
  }

  /** What names must keep off, in this picture: dots (none that is pale), and other names. */
  private room(): Box[] {
    if (this.taken) return this.taken;
    this.dots.clear();
    this.graph.forEachNode((path) => {
      const data = this.renderer.getNodeDisplayData(path);
      if (!data || data.hidden || (this.lit && !this.lit.nodes.has(path))) return;
      const size = this.renderer.scaleSize(data.size);
      const { label } = data;
      this.dots.set(path, { ...this.renderer.framedGraphToViewport(data), size, label });
    });
    this.taken = Array.from(this.dots.values(), boxOf);
    const looked = this.dots.get(this.lit?.node ?? "");
    if (looked) this.taken.push(plateOf(looked));
    return this.taken;
  }
}
