// Numbers and moments in plain words.

import type { SyncProgress } from "../api/types";

const NUMBER = new Intl.NumberFormat("en-GB");
const SHORT = new Intl.NumberFormat("en-GB", { maximumSignificantDigits: 3 });
const DAY = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric" });
const UNITS = ["bytes", "kB", "MB", "GB", "TB"];
const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAYS = 24 * HOUR;

/** `12,345`. */
export function number(value: number): string {
  return NUMBER.format(value);
}

/** `1 file`, `12,345 files`. */
export function count(value: number, one: string, many = `${one}s`): string {
  return `${number(value)} ${value === 1 ? one : many}`;
}

/** Bytes as a person reads them: `906 kB`, `1.12 GB`. */
export function size(bytes: number): string {
  let unit = 0;
  let left = bytes;
  while (left >= 999.5 && unit < UNITS.length - 1) {
    left /= 1000;
    unit++;
  }
  return unit ? `${SHORT.format(left)} ${UNITS[unit]}` : count(bytes, "byte");
}

/** The day of an ISO date or moment: `4 Feb 2022`. What is no date stays as it is. */
export function day(iso: string): string {
  // A date alone is a day of the calendar, not midnight in Greenwich.
  const moment = new Date(iso.length === 10 ? `${iso}T12:00` : iso);
  return Number.isNaN(moment.getTime()) ? iso : DAY.format(moment);
}

/** How long ago a moment is: `5 minutes ago`; what is older than a week is said by its day. */
export function ago(iso: string, now = Date.now()): string {
  const seconds = (now - new Date(iso).getTime()) / 1000;
  if (Number.isNaN(seconds) || seconds > 7 * DAYS) return `on ${day(iso)}`;
  if (seconds < MINUTE) return "just now";
  if (seconds < HOUR) return `${count(Math.floor(seconds / MINUTE), "minute")} ago`;
  if (seconds < DAYS) return `${count(Math.floor(seconds / HOUR), "hour")} ago`;
  return `${count(Math.floor(seconds / DAYS), "day")} ago`;
}

/** How long something still takes, no more exact than it can be known. */
export function left(seconds: number): string {
  if (seconds < 8) return "a few seconds left";
  if (seconds < MINUTE) return `about ${Math.ceil(seconds / 10) * 10} seconds left`;
  if (seconds < 90 * MINUTE) return `about ${count(Math.round(seconds / MINUTE), "minute")} left`;
  return `about ${count(Math.round(seconds / HOUR), "hour")} left`;
}

/** How long something took: `9 s`, `2 min 5 s`. */
export function took(seconds: number): string {
  if (seconds < 10) return `${SHORT.format(Math.round(seconds * 10) / 10)} s`;
  const whole = Math.round(seconds);
  if (whole < MINUTE) return `${whole} s`;
  const rest = whole % MINUTE;
  return `${Math.floor(whole / MINUTE)} min${rest ? ` ${rest} s` : ""}`;
}

const COUNTED: Record<string, [string, string]> = {
  scan: ["file", "files"],
  read: ["file", "files"],
  embed: ["passage", "passages"],
  lines: ["page", "pages"],
  pages: ["page", "pages"],
  recognize: ["page", "pages"],
  caption: ["photo", "photos"],
};

/** What a stage of a sync does a second, or a minute where that is less than one. */
export function rate(stage: string, perSecond: number): string | null {
  const names = COUNTED[stage];
  if (!names || perSecond <= 0) return null;
  const slow = perSecond < 1;
  const done = Math.max(1, Math.round(slow ? perSecond * 60 : perSecond));
  return `${count(done, ...names)} a ${slow ? "minute" : "second"}`;
}

/** How far a stage of a sync is, how fast it goes, and how long it still takes. */
export function howFar({ stage, done, total, rate: speed, eta_s }: SyncProgress): string[] {
  const said = total ? [`${number(done)} of ${number(total)}`] : [];
  if (total !== null && done >= total) return said; // what comes next is not known
  const fast = rate(stage, speed);
  if (fast) said.push(fast);
  if (eta_s) said.push(left(eta_s));
  return said;
}

const AFTER_TEXTS = ["recognize", "caption", "lines", "pages", "finish"];

/** Whether all texts are read, so that they are found although the sync goes on. */
export function textsAreRead(progress: SyncProgress | null): boolean {
  return progress !== null && AFTER_TEXTS.includes(progress.stage);
}
