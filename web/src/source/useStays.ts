import { useEffect, useState } from "react";

const PAUSE_MS = 90; // who scrolls past a page does not want its picture

/** Whether something is in sight for longer than a moment, or is wanted `at` once. */
export function useStays(at = false): boolean {
  const [stays, setStays] = useState(at);
  useEffect(() => {
    const timer = setTimeout(() => setStays(true), PAUSE_MS);
    return () => clearTimeout(timer);
  }, []);
  return stays;
}
