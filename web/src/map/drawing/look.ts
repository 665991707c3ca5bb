// The page's colours and type, read where the style sheets put them, for what is drawn on a canvas.

export interface Look {
  dark: boolean;
  paper: string;
  raised: string;
  ink: string;
  soft: string;
  line: string;
  accent: string;
  font: string;
}

export function lookOf(dark: boolean): Look {
  const style = getComputedStyle(document.documentElement);
  const token = (name: string) => style.getPropertyValue(`--${name}`).trim();
  return {
    dark,
    paper: token("paper"),
    raised: token("raised"),
    ink: token("ink"),
    soft: token("ink-soft"),
    line: token("line-strong"),
    accent: token("accent"),
    font: token("sans"),
  };
}

/** `#rrggbb` as three numbers from 0 to 255. */
export function channels(colour: string): [number, number, number] {
  const value = Number.parseInt(colour.slice(1), 16) || 0;
  return [(value >> 16) & 255, (value >> 8) & 255, value & 255];
}
