import { useEffect, useState } from "react";

/** A copy of a value of the address: what is chosen shows at once, the address follows. */
export function useOwn<T>(value: T) {
  const [own, setOwn] = useState(value);
  useEffect(() => setOwn(value), [value]);
  return [own, setOwn] as const;
}
