// What this browser keeps. Storage may be full or forbidden: then it is kept as long as the page is.

const here = new Map<string, string>();

export function kept(key: string): string | null {
  try {
    return localStorage.getItem(key) ?? here.get(key) ?? null;
  } catch {
    return here.get(key) ?? null;
  }
}

/** Keep a value; null forgets it. */
export function keep(key: string, value: string | null): void {
  if (value === null) here.delete(key);
  else here.set(key, value);
  try {
    if (value === null) localStorage.removeItem(key);
    else localStorage.setItem(key, value);
  } catch {
    // It is kept here.
  }
}
