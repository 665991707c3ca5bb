// Words and marks on the map: names of nodes, of groups, and the links of the node looked at.

import type { Relation } from "../../api/types";
import type { Look } from "./look";

const LONGEST = 34; // characters of a name on the map
const SMALL = 12;

export interface Point {
  x: number;
  y: number;
}

export interface Spot extends Point {
  label: string;
  size: number;
}

export function shortened(name: string): string {
  return name.length > LONGEST ? `${name.slice(0, LONGEST - 1).trimEnd()}…` : name;
}

/** What is written in one picture: a place is written on once. */
export class Sheet {
  private taken: (readonly [number, number, number, number])[] = [];

  clear(): void {
    this.taken = [];
  }

  /** Takes a box (left, top, right, bottom), if none of it is taken. */
  take(left: number, top: number, right: number, bottom: number): boolean {
    const free = this.taken.every(
      ([l, t, r, b]) => left >= r || right <= l || top >= b || bottom <= t,
    );
    if (free) this.taken.push([left, top, right, bottom]);
    return free;
  }
}

/** A name beside its node, with a rim that keeps it readable over lines; on a free place only. */
export function drawName(
  context: CanvasRenderingContext2D,
  { x, y, size, label }: Spot,
  look: Look,
  sheet: Sheet,
  room: number,
): void {
  context.font = `500 ${SMALL}px ${look.font}`;
  context.textAlign = "left";
  const width = context.measureText(label).width;
  const left = besides(x, size + 4, width, room) ?? x + size + 4;
  if (sheet.take(left - 2, y - SMALL / 2, left + width + 2, y + SMALL / 2 + 2)) {
    rimmed(context, label, { x: left, y: y + SMALL / 3 }, look, 3.5);
  }
}

/** The node looked at: a ring around it, and its name on a plate. */
export function drawPlate(
  context: CanvasRenderingContext2D,
  { x, y, size, label }: Spot,
  look: Look,
  sheet: Sheet,
  room: number,
): void {
  context.font = `600 ${SMALL + 1}px ${look.font}`;
  context.textAlign = "left";
  const width = context.measureText(label).width + 14;
  const beside = besides(x, size + 7, width, room);
  const left = beside ?? Math.max(4, Math.min(x - width / 2, room - width - 4));
  const middle = beside === null ? y - size - 22 : y; // no room at either side: above
  sheet.take(left, middle - 12, left + width, middle + 12);
  context.fillStyle = look.raised;
  context.strokeStyle = look.line;
  context.lineWidth = 1;
  context.beginPath();
  context.roundRect(left, middle - 12, width, 24, 6);
  context.fill();
  context.stroke();
  context.fillStyle = look.ink;
  context.fillText(label, left + 7, middle + 4.5);
  context.strokeStyle = look.ink;
  context.lineWidth = 2;
  context.beginPath();
  context.arc(x, y, size + 3, 0, 2 * Math.PI);
  context.stroke();
}

/** Where a name begins: right of its node, or left of it; null: neither has room. */
function besides(x: number, away: number, width: number, room: number): number | null {
  if (x + away + width <= room - 4) return x + away;
  return x - away - width >= 4 ? x - away - width : null;
}

/** The names of groups that find a free place within the map's width, the largest first. */
export function placedGroups(
  context: CanvasRenderingContext2D,
  spots: Spot[],
  look: Look,
  sheet: Sheet,
  room: number,
): Spot[] {
  return spots.flatMap((spot) => {
    const { y, label, size } = spot;
    context.font = groupFont(size, look);
    const half = context.measureText(label).width / 2 + 4;
    const seen = spot.x > 0 && spot.x < room;
    const x = seen ? Math.max(half, Math.min(spot.x, room - half)) : spot.x;
    return sheet.take(x - half, y - size, x + half, y + size / 3) ? [{ ...spot, x }] : [];
  });
}

export function drawGroups(context: CanvasRenderingContext2D, spots: Spot[], look: Look): void {
  context.textAlign = "center";
  for (const { x, y, label, size } of spots) {
    context.font = groupFont(size, look);
    rimmed(context, label, { x, y }, look, 5);
  }
}

function groupFont(size: number, look: Look): string {
  return `700 ${size}px ${look.font}`;
}

const DASHES: Record<Relation, number[]> = { similarity: [], reference: [7, 3], structure: [2, 4] };

/** A link of the node looked at. What it is shows in its dashes, how strong it is in its width. */
export function drawTie(
  context: CanvasRenderingContext2D,
  [from, to]: [Point, Point],
  { relation, weight, colour }: { relation: Relation; weight: number; colour: string },
): void {
  context.strokeStyle = colour;
  context.lineWidth = 1 + 1.5 * weight;
  context.setLineDash(DASHES[relation]);
  context.beginPath();
  context.moveTo(from.x, from.y);
  context.lineTo(to.x, to.y);
  context.stroke();
  context.setLineDash([]);
}

function rimmed(
  context: CanvasRenderingContext2D,
  text: string,
  { x, y }: Point,
  look: Look,
  width: number,
): void {
  context.lineJoin = "round";
  context.lineWidth = width;
  context.strokeStyle = look.paper;
  context.strokeText(text, x, y);
  context.fillStyle = look.ink;
  context.fillText(text, x, y);
}
