// What is due, counted from the day that it is here.

import { useQuery } from "@tanstack/react-query";
import { get, url } from "../api/client";
import type { DueItem, DueList } from "../api/types";

export type When = DueItem["when"];

/** Today, here: "2024-12-05". */
export function today(): string {
  const now = new Date();
  const two = (n: number) => String(n).padStart(2, "0");
  return `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}`;
}

export function useDue(library: string, days: number, enabled = true) {
  const asked = { library, days, today: today() };
  return useQuery({
    queryKey: ["due", asked],
    queryFn: ({ signal }) => get<DueList>("/due", asked, signal),
    staleTime: 60_000,
    retry: false,
    enabled,
  });
}

/** Where the same is given as a calendar. */
export function calendarOf(library: string, days: number): string {
  return url("/due.ics", { library, days, today: today() });
}

/** The last day of so many from today: "2025-03-05". */
export function daysOn(day: string, days: number): string {
  const date = new Date(day);
  date.setUTCDate(date.getUTCDate() + days);
  return date.toISOString().slice(0, 10);
}
