// Moments of recordings: their pages are seconds, counted from 1.

import type { SpokenLine } from "../api/types";

const SPOKEN = /\.(wav|mp3|m4a|m4b|aac|ogg|oga|opus|flac|mp4|m4v|mov|mkv|webm)$/i;

/** Whether a file's name says that it is sound or a video. */
export function isSpoken(file: string): boolean {
  return SPOKEN.test(file);
}

/** A moment as a clock shows it: 761 seconds are `12:41`, 3761 are `1:02:41`. */
export function clock(second: number): string {
  const whole = Math.max(0, Math.floor(second));
  const two = (n: number) => String(n).padStart(2, "0");
  const hours = Math.floor(whole / 3600);
  const minutes = Math.floor(whole / 60) % 60;
  return hours ? `${hours}:${two(minutes)}:${two(whole % 60)}` : `${minutes}:${two(whole % 60)}`;
}

/** A page in words; of a recording the moment. */
export function pageWords(file: string, page: number, words: (page: number) => string): string {
  return isSpoken(file) ? clock(page - 1) : words(page);
}

/** The line that is said at a second, or was said last; -1 before the first. */
export function lineAt(lines: readonly Pick<SpokenLine, "start">[], second: number): number {
  let low = 0;
  let high = lines.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((lines[middle]?.start ?? 0) <= second) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
