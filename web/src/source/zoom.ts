// How large pages are drawn: 1 fits the width of the panel.

export const FIT = 1;
const STEPS = [0.5, 0.75, 1, 1.25, 1.5, 2, 2.5, 3] as const;
const [LEAST, MOST] = [STEPS[0], 3];
const PICTURES = [800, 1400, 2000, 3000]; // pixels; few widths, so that few are drawn
const ENOUGH = 0.9; // of the pixels that the screen has

/** The next step up (1) or down (-1). */
export function stepped(zoom: number, direction: 1 | -1): number {
  const beyond = STEPS.filter((step) => (direction > 0 ? step > zoom : step < zoom));
  return (direction > 0 ? beyond[0] : beyond.at(-1)) ?? (direction > 0 ? MOST : LEAST);
}

/** A zoom by a wheel that was turned by some pixels with Ctrl, as a touchpad's pinch does. */
export function wheeled(zoom: number, pixels: number): number {
  return Math.min(MOST, Math.max(LEAST, zoom * 2 ** (-pixels / 300)));
}

/** What a key does to the zoom; null: nothing. */
export function keyed(zoom: number, key: string): number | null {
  if (key === "+" || key === "=") return stepped(zoom, 1);
  if (key === "-") return stepped(zoom, -1);
  return key === "0" ? FIT : null;
}

/** How many pixels wide a picture is asked for, to be drawn so wide on this screen. */
export function pictureWidth(width: number, density: number): number {
  return PICTURES.find((pixels) => pixels >= ENOUGH * width * density) ?? 3000;
}
