// The page's own sentences, in one's own language: `say.ask.placeholder`. Another language is one
// more folder beside `en`, which TypeScript holds to the same sentences.

import { language } from "./choice";
import { en } from "./en";

export { count, language, locale, number, seconds } from "./choice";

export type Sentences = typeof en;

export const say: Sentences = language === "de" ? (await import("./de")).de : en;
