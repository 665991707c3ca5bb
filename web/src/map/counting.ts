/** What belongs together: the values by their keys. */
export function gathered<K, V>(values: Iterable<V>, keyOf: (value: V) => K): Map<K, V[]> {
  const found = new Map<K, V[]>();
  for (const value of values) {
    const key = keyOf(value);
    const others = found.get(key);
    if (others) others.push(value);
    else found.set(key, [value]);
  }
  return found;
}

/** How often each value occurs, the most frequent first. */
export function tally<T>(values: Iterable<T>): [T, number][] {
  const counts = new Map<T, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1]);
}
