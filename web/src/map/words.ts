// What numbers are called.

import { locale, number, say } from "../language";

const part = new Intl.NumberFormat(locale, { maximumFractionDigits: 1, minimumFractionDigits: 1 });

export function percent(share: number): string {
  return `${Math.round(100 * share)} %`;
}

/** A file's size: "612 bytes", "34 kB", "1.2 MB". */
export function sizeName(bytes: number): string {
  if (bytes < 1000) return say.map.bytes(bytes);
  const [value, unit] = bytes < 1e6 ? [bytes / 1e3, "kB"] : [bytes / 1e6, "MB"];
  return `${value < 10 ? part.format(value) : number(Math.round(value))} ${unit}`;
}
