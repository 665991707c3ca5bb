// A field whose text stands in the address: written there a moment after the last key.

import { useEffect, useRef, useState } from "react";
import { useLocation, useNavigationType } from "react-router";

const TYPED = { typed: true }; // the mark of an address that came from the field

/** The field's text, a way to change it, and one to write it into the address at once. */
export function useTyped(
  address: string,
  write: (text: string, state: typeof TYPED) => void,
  wait: number,
) {
  const [text, setText] = useState(address);
  const [edited, setEdited] = useState(0);
  const latest = useRef({ text, address, write });
  latest.current = { text, address, write };
  const location = useLocation();
  const back = useNavigationType() === "POP";
  const own = !back && (location.state as typeof TYPED | null)?.typed === true;
  const seen = useRef(address);

  useEffect(() => {
    if (address !== seen.current && !own) setText(address); // Back, or a link
    seen.current = address;
  }, [address, own]);

  useEffect(() => {
    if (!edited) return;
    const timer = setTimeout(() => flush(latest.current), wait);
    return () => clearTimeout(timer);
  }, [edited, wait]);

  return {
    text,
    type: (typed: string) => {
      setText(typed);
      setEdited((count) => count + 1);
    },
    flush: () => flush(latest.current),
  };
}

function flush(now: {
  text: string;
  address: string;
  write: (t: string, s: typeof TYPED) => void;
}) {
  const text = now.text.trim();
  if (text !== now.address) now.write(text, TYPED);
}
