// What is written and drawn over the nodes: names, and the links of the node looked at.

import type Sigma from "sigma";
import { at, type Link, type Model } from "../graph";
import {
  drawGroups,
  drawName,
  drawPlate,
  drawTie,
  type Point,
  placedGroups,
  Sheet,
  type Spot,
  shortened,
} from "./labels";
import type { Look } from "./look";

const NAMED = 16; // neighbours that are named
const MEMBERS = 40; // of a group that are named
const TIES = 400; // links of one node that are drawn thick
const SMALL = 40; // files; the name of a smaller group stands above it, not on it

export interface GroupSpot {
  name: string;
  files: number[];
}

/** What is looked at: a node with its links, or the members of a group. */
export type Focus = { node: number; links: Link[] } | { members: number[] } | null;

export class Overlay {
  focus: Focus = null;
  colours: string[] = [];
  sizes: ArrayLike<number> = [];
  private readonly names: CanvasRenderingContext2D;
  private readonly ties: CanvasRenderingContext2D;
  private readonly plates: CanvasRenderingContext2D;
  private readonly sheet = new Sheet();
  private groups: (GroupSpot & Point)[] = [];
  private written: Spot[] | null = null; // the groups' names in this picture
  private positions: Float32Array | null = null;
  private room = 0; // the map's width that can be seen

  constructor(
    private readonly renderer: Sigma,
    private readonly model: Model,
    public look: Look,
    private readonly covered: () => number, // pixels at the right that the card hides
  ) {
    renderer.createCanvasContext("plates", { afterLayer: "hoverNodes" } as object);
    const canvases = renderer.getCanvases(); // sigma's own where it draws before: fewer to compose
    const on = (layer: string) => canvases[layer]?.getContext("2d") as CanvasRenderingContext2D;
    this.names = on("labels");
    this.ties = on("hovers");
    this.plates = on("plates");
    renderer.on("beforeRender", () => {
      this.room = renderer.getDimensions().width - this.covered();
      this.sheet.clear();
      this.written = null;
    });
  }

  place(positions: Float32Array): void {
    this.positions = positions;
    for (const group of this.groups) {
      const count = group.files.length;
      let [x, y, squares] = [0, 0, 0];
      for (const file of group.files) {
        const height = at(positions, 2 * file + 1);
        x += at(positions, 2 * file);
        y += height;
        squares += height * height;
      }
      group.x = x / count;
      group.y = y / count;
      if (count < SMALL) group.y += Math.sqrt(Math.max(0, squares / count - group.y ** 2));
    }
  }

  name(groups: GroupSpot[]): void {
    this.groups = groups.map((group) => ({ ...group, x: 0, y: 0 }));
    if (this.positions) this.place(this.positions);
  }

  /** A node's name; those of groups have their places before. */
  label(context: CanvasRenderingContext2D, spot: Spot): void {
    this.written ??= this.write();
    drawName(context, spot, this.look, this.sheet, this.room);
  }

  draw(): void {
    const { width, height } = this.renderer.getDimensions();
    this.plates.clearRect(0, 0, width, height);
    this.names.globalAlpha = this.strength();
    drawGroups(this.names, this.written ?? this.write(), this.look);
    this.names.globalAlpha = 1;
    this.drawFocus();
  }

  /** Names of groups fade as one comes near: then the files have theirs. */
  private strength(): number {
    const { ratio } = this.renderer.getCamera().getState();
    return Math.max(0, Math.min(1, 4 * ratio - 1));
  }

  private write(): Spot[] {
    if (this.strength() === 0) return [];
    const { files: all } = this.model;
    const { room } = this;
    const spots = this.groups
      .filter(({ files }) => files.length >= Math.max(all / 300, 3))
      .map(({ name, files, x, y }) => {
        const seen = this.renderer.graphToViewport({ x, y });
        const size =
          (12 + Math.min(8, 20 * Math.sqrt(files.length / all))) * (room < 480 ? 0.8 : 1);
        return { x: seen.x, y: seen.y - (files.length < SMALL ? 16 : 0), label: name, size };
      });
    return placedGroups(this.names, spots, this.look, this.sheet, room);
  }

  private drawFocus(): void {
    const { focus, look, ties, plates, room } = this;
    if (!focus) return;
    const sheet = new Sheet();
    const write = (node: number) => drawName(plates, this.spot(node), look, sheet, room);
    if ("members" in focus) {
      for (const member of focus.members.slice(0, MEMBERS)) write(member);
      return;
    }
    const from = this.seen(focus.node);
    drawPlate(plates, this.spot(focus.node), look, sheet, room);
    for (const { other, relation, weight } of focus.links.slice(0, TIES)) {
      const colour = this.colours[other] ?? look.line;
      drawTie(ties, [from, this.seen(other)], { relation, weight, colour });
    }
    const named = focus.links.length <= NAMED ? focus.links : [];
    for (const { other } of named) write(other);
  }

  private spot(node: number): Spot {
    const size = this.renderer.scaleSize(this.sizes[node] ?? 1);
    return { ...this.seen(node), size, label: shortened(this.model.names[node] ?? "") };
  }

  private seen(node: number): Point {
    const positions = this.positions ?? [];
    return this.renderer.graphToViewport({
      x: positions[2 * node] ?? 0,
      y: positions[2 * node + 1] ?? 0,
    });
  }
}
