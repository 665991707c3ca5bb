// What is due, in the page's words and notation.

import type { DueItem } from "../api/types";
import { quoted } from "../ask/excerpt";
import { count, locale, say } from "../language";
import { dayName } from "../ui/dates";

const words = say.due;
const money = new Intl.NumberFormat(locale, { minimumFractionDigits: 2, maximumFractionDigits: 2 });

/** "290.96 EUR, Thermaro", or a sentence. */
export function whatOf({ amount, currency, text }: DueItem): string {
  const sum = amount === null ? "" : `${money.format(amount)} ${currency ?? ""}`.trim();
  return [sum, quoted(text)].filter(Boolean).join(", ");
}

/** What a day was computed from: "1 month before 28 February 2027". */
export function howOf({ how }: DueItem): string {
  if (!how) return "";
  const day = dayName(how.day);
  const unit = how.count && how.unit ? words.units[how.unit] : undefined;
  const length = unit && how.count ? count(how.count, ...unit) : "";
  if (how.of === "begins") return words.how.begins(day, length);
  if (how.of === "ends" && length) return words.how.before(day, length);
  if (length) return words.how.after(day, length);
  return how.yearly ? words.how.yearly : "";
}
