// Which language the page speaks: the one chosen here, else the browser's first that it knows.

import { keep, kept } from "../ui/kept";

/** The languages there are, each by its own name, and how it writes days and numbers. */
export const LANGUAGES = {
  en: { name: "English", locale: "en-GB" },
  de: { name: "Deutsch", locale: "de-DE" },
} as const;

export type Language = keyof typeof LANGUAGES;

const KEY = "manole.language";

function isLanguage(code: string | null | undefined): code is Language {
  return code != null && Object.hasOwn(LANGUAGES, code);
}

/** The language of one's own choice; null: as the browser has it. */
export function ownLanguage(): Language | null {
  const own = kept(KEY);
  return isLanguage(own) ? own : null;
}

/** Speak another language: every part says its sentences anew. */
export function chooseLanguage(code: Language | null): void {
  keep(KEY, code);
  location.reload();
}

const wished = typeof document === "undefined" ? [] : navigator.languages;
export const language: Language =
  ownLanguage() ?? wished.map((tag) => tag.slice(0, 2).toLowerCase()).find(isLanguage) ?? "en";
export const { locale } = LANGUAGES[language];

const plain = new Intl.NumberFormat(locale);

/** 1234 gives "1,234" or "1.234". */
export function number(value: number): string {
  return plain.format(value);
}

const tenths = new Intl.NumberFormat(locale, {
  minimumFractionDigits: 1,
  maximumFractionDigits: 1,
});

/** How long something took: 1.23 gives "1.2 s" or "1,2 s", 12.3 gives "12 s". */
export function seconds(value: number): string {
  return `${value < 9.95 ? tenths.format(value) : number(Math.round(value))} s`;
}

/** 1 gives "1 file", 1234 gives "1,234 files". */
export function count(value: number, one: string, many: string): string {
  return `${number(value)} ${value === 1 ? one : many}`;
}
