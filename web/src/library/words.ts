// Numbers and moments in plain words.

import type { SyncProgress } from "../api/types";
import { locale, number, say } from "../language";

const SAID = say.library;
const SHORT = new Intl.NumberFormat(locale, { maximumSignificantDigits: 3 });
const DAY = new Intl.DateTimeFormat(locale, { day: "numeric", month: "short", year: "numeric" });
const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAYS = 24 * HOUR;

/** Bytes as a person reads them: `906 kB`, `1.12 GB`. */
export function size(bytes: number): string {
  let unit = 0;
  let left = bytes;
  while (left >= 999.5 && unit < SAID.units.length - 1) {
    left /= 1000;
    unit++;
  }
  return unit ? `${SHORT.format(left)} ${SAID.units[unit]}` : SAID.bytes(bytes);
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
  if (Number.isNaN(seconds) || seconds > 7 * DAYS) return SAID.onDay(day(iso));
  if (seconds < MINUTE) return SAID.justNow;
  if (seconds < HOUR) return SAID.minutesAgo(Math.floor(seconds / MINUTE));
  if (seconds < DAYS) return SAID.hoursAgo(Math.floor(seconds / HOUR));
  return SAID.daysAgo(Math.floor(seconds / DAYS));
}

/** How long something still takes, no more exact than it can be known. */
export function left(seconds: number): string {
  if (seconds < 8) return SAID.moment;
  if (seconds < MINUTE) return SAID.secondsLeft(Math.ceil(seconds / 10) * 10);
  if (seconds < 90 * MINUTE) return SAID.minutesLeft(Math.round(seconds / MINUTE));
  return SAID.hoursLeft(Math.round(seconds / HOUR));
}

/** How long something took: `9 s`, `2 min 5 s`. */
export function took(seconds: number): string {
  if (seconds < 10) return `${SHORT.format(Math.round(seconds * 10) / 10)} s`;
  const whole = Math.round(seconds);
  if (whole < MINUTE) return `${whole} s`;
  const rest = whole % MINUTE;
  return `${Math.floor(whole / MINUTE)} min${rest ? ` ${rest} s` : ""}`;
}

const COUNTED: Record<string, (n: number) => string> = {
  scan: SAID.files,
  read: SAID.files,
  embed: SAID.passages,
  lines: SAID.pages,
  pages: SAID.pages,
  recognize: SAID.pages,
  caption: SAID.photos,
};

/** What a stage of a sync does a second, or a minute where that is less than one. */
export function rate(stage: string, perSecond: number): string | null {
  const counted = COUNTED[stage];
  if (!counted || perSecond <= 0) return null;
  const slow = perSecond < 1;
  const done = Math.max(1, Math.round(slow ? perSecond * 60 : perSecond));
  return (slow ? SAID.aMinute : SAID.aSecond)(counted(done));
}

/** How far a stage of a sync is, how fast it goes, and how long it still takes. */
export function howFar({ stage, done, total, rate: speed, eta_s }: SyncProgress): string[] {
  const said = total ? [SAID.of(number(done), number(total))] : [];
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
