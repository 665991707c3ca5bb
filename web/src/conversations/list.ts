// The list of conversations as it is shown: under headings of time.

import type { ConversationItem } from "../api/types";
import { say } from "../language";
import { dayOf, daysAgo, monthName, timeOf } from "../ui/dates";

export interface Section {
  name: string;
  items: ConversationItem[];
}

/** "Today", "Yesterday", "The last seven days", then months. */
export function sectionOf(moment: string, now: Date): string {
  const days = daysAgo(moment, now);
  if (days <= 0) return say.conversations.today;
  if (days === 1) return say.conversations.yesterday;
  if (days < 7) return say.conversations.lastDays;
  const date = new Date(moment);
  return monthName(`${date.getFullYear()}-${String(date.getMonth() + 1).padStart(2, "0")}`);
}

/** The conversations under their headings; each is given once, though a page may repeat it. */
export function sections(items: readonly ConversationItem[], now: Date): Section[] {
  const found: Section[] = [];
  const seen = new Set<string>();
  for (const item of items) {
    if (seen.has(item.id)) continue;
    seen.add(item.id);
    const name = sectionOf(item.updated, now);
    if (found.at(-1)?.name !== name) found.push({ name, items: [] });
    found.at(-1)?.items.push(item);
  }
  return found;
}

/** The time for today and yesterday, else the day. */
export function whenOf(moment: string, now: Date): string {
  return daysAgo(moment, now) <= 1 ? timeOf(moment) : dayOf(moment);
}

/** Whether `title` may be one: the server wants a letter or a figure in it. */
export function isTitle(title: string): boolean {
  return /[\p{L}\p{N}]/u.test(title);
}
