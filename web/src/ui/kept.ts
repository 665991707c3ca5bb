// What this browser keeps. Storage may be full or forbidden: then it is kept as long as the page is.

const here = new Map<string, string | null>(); // what storage did not take; it counts before that

export function kept(key: string): string | null {
  const own = here.get(key);
  if (own !== undefined) return own;
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

/** Keep a value; null forgets it. */
export function keep(key: string, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(key);
    else localStorage.setItem(key, value);
    here.delete(key);
  } catch {
    here.set(key, value);
  }
}
