// Names beside nodes. Sigma chooses which are written; its own way of writing puts names on one
// another and beyond the edge, and its plate is white in the dark too.

import type { NodeDisplayData } from "sigma/types";
import type { Look } from "./colours";

const LONGEST = 34; // characters
const HIGH = 14; // pixels

export interface Box {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

export type Spot = Pick<NodeDisplayData, "x" | "y" | "size"> & { label: string | null };

export function overlap(a: Box, b: Box): boolean {
  return a.left < b.right && a.right > b.left && a.top < b.bottom && a.bottom > b.top;
}

/** A name with a rim, right of its node or left of it, if it overlaps none of `taken`. */
export function writeName(
  context: CanvasRenderingContext2D,
  { x, y, size, label }: Spot,
  { font, ink, paper }: Look,
  taken: Box[],
): void {
  if (!label) return;
  const text = label.length > LONGEST ? `${label.slice(0, LONGEST - 1).trimEnd()}…` : label;
  context.font = `500 12px ${font}`;
  const width = context.measureText(text).width;
  const beside = x + size + 4;
  const left = beside + width < context.canvas.clientWidth ? beside : x - size - 4 - width;
  const box = { left, right: left + width, top: y - HIGH / 2, bottom: y + HIGH / 2 };
  if (taken.some((other) => overlap(box, other))) return;
  taken.push(box);
  context.lineJoin = "round";
  context.lineWidth = 3;
  context.strokeStyle = paper;
  context.strokeText(text, left, y + 4);
  context.fillStyle = ink;
  context.fillText(text, left, y + 4);
}

/** About where the plate of a node lies. */
export function plateOf({ x, y, size, label }: Spot): Box {
  return { left: x, right: x + size + 20 + 8 * (label?.length ?? 0), top: y - 12, bottom: y + 12 };
}

/** The node looked at: a ring around it, and its name on a plate. */
export function writePlate(context: CanvasRenderingContext2D, spot: Spot, look: Look): void {
  const { x, y, size, label } = spot;
  context.strokeStyle = look.ink;
  context.lineWidth = 2;
  context.beginPath();
  context.arc(x, y, size + 2.5, 0, 2 * Math.PI);
  context.stroke();
  if (!label) return;
  context.font = `600 13px ${look.font}`;
  const width = context.measureText(label).width + 14;
  const left = Math.max(4, Math.min(x + size + 7, context.canvas.clientWidth - width - 4));
  const middle = left < x + size ? y - size - 18 : y; // no room beside it: above
  context.fillStyle = look.raised;
  context.strokeStyle = look.folder;
  context.lineWidth = 1;
  context.beginPath();
  context.roundRect(left, middle - 12, width, 24, 6);
  context.fill();
  context.stroke();
  context.fillStyle = look.ink;
  context.fillText(label, left + 7, middle + 4.5);
}
