// Dates in words. A day ("2024-03-12") belongs to no time zone; a moment is shown in one's own.

import { locale } from "../language/choice";

const DAY = { day: "numeric", month: "long", year: "numeric" } as const;
const dayOnly = new Intl.DateTimeFormat(locale, { ...DAY, timeZone: "UTC" });
const localDay = new Intl.DateTimeFormat(locale, DAY);
const monthOnly = new Intl.DateTimeFormat(locale, {
  month: "long",
  year: "numeric",
  timeZone: "UTC",
});
const monthAlone = new Intl.DateTimeFormat(locale, { month: "long", timeZone: "UTC" });
const dayShort = new Intl.DateTimeFormat(locale, {
  weekday: "short",
  day: "numeric",
  month: "short",
  timeZone: "UTC",
});
const weekdayShort = new Intl.DateTimeFormat(locale, { weekday: "short", timeZone: "UTC" });
const weekdayOnly = new Intl.DateTimeFormat(locale, { weekday: "long", timeZone: "UTC" });
const clock = new Intl.DateTimeFormat(locale, { hour: "2-digit", minute: "2-digit" });

const ONE_DAY = 86_400_000;

function said(format: Intl.DateTimeFormat, iso: string): string {
  const date = new Date(iso);
  return Number.isNaN(date.getTime()) ? iso : format.format(date);
}

/** "2024-03-12" gives "12 March 2024". */
export function dayName(day: string): string {
  return said(dayOnly, day);
}

/** "2024-03-12" gives "Tue 12 Mar". */
export function shortDay(day: string): string {
  return said(dayShort, day).replace(",", "");
}

/** "2024-03-12" gives "Tuesday". */
export function weekday(day: string): string {
  return said(weekdayOnly, day);
}

/** "2024-03-12" gives "Tue". */
export function shortWeekday(day: string): string {
  return said(weekdayShort, day);
}

/** "2024-03" gives "March 2024". */
export function monthName(month: string): string {
  return said(monthOnly, `${month}-01`);
}

/** "2024-03" gives "March". */
export function monthWord(month: string): string {
  return said(monthAlone, `${month}-01`);
}

/** The day of a moment, here: "12 March 2024". */
export function dayOf(moment: string): string {
  return said(localDay, moment);
}

/** The time of a moment, here: "14:03". */
export function timeOf(moment: string): string {
  return said(clock, moment);
}

/** How many days ago a moment was, by the calendar: 0 is today. */
export function daysAgo(moment: string, now: Date): number {
  const midnight = (date: Date) => Date.UTC(date.getFullYear(), date.getMonth(), date.getDate());
  return Math.round((midnight(now) - midnight(new Date(moment))) / ONE_DAY);
}

/** Whether `text` is a day that there is, of a year with four figures. */
export function isDay(text: string): boolean {
  if (!/^[1-9]\d{3}-\d\d-\d\d$/.test(text)) return false;
  const date = new Date(text);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}
