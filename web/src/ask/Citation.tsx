import {
  autoUpdate,
  FloatingPortal,
  flip,
  offset,
  shift,
  useDismiss,
  useFloating,
  useFocus,
  useHover,
  useInteractions,
  useRole,
} from "@floating-ui/react";
import { useRef, useState } from "react";
import type { Source } from "../api/types";
import { say } from "../language";
import { Thumbnail } from "../source/Thumbnail";
import styles from "./ask.module.css";
import { quoted } from "./excerpt";
import { whereOf } from "./where";

interface CitationProps {
  source: Source;
  library: string;
  open: (source: Source) => void;
}

/** `[n]`: what it quotes is shown when pointed at; pressed, it opens the file at that place. */
export function Citation({ source, library, open }: CitationProps) {
  const [shown, setShown] = useState(false);
  // Pressed, it is silent until pointed at anew: the source gives the focus back as it closes, and
  // the words move below a pointer that rests.
  const silent = useRef<"pressed" | "back" | null>(null);
  const { refs, floatingStyles, context } = useFloating({
    open: shown,
    onOpenChange: (wanted, _event, reason) => {
      if (!wanted || !silent.current) setShown(wanted);
      else if (reason === "focus") silent.current = "back";
    },
    placement: "top",
    middleware: [offset(8), flip(), shift({ padding: 8 })],
    whileElementsMounted: autoUpdate,
  });
  const { getReferenceProps, getFloatingProps } = useInteractions([
    useHover(context, { delay: { open: 120, close: 60 } }),
    useFocus(context),
    useDismiss(context),
    useRole(context, { role: "tooltip" }),
  ]);
  const press = () => {
    silent.current = "pressed";
    setShown(false);
    open(source);
  };
  return (
    <>
      <button
        type="button"
        ref={refs.setReference}
        className={styles.cite}
        {...getReferenceProps({
          onClick: press,
          onPointerMove: (event) => {
            if (event.movementX || event.movementY) silent.current = null;
          },
          onBlur: () => {
            if (silent.current === "back") silent.current = null;
          },
        })}
        aria-label={say.ask.source(source.n, whereOf(source))}
      >
        {source.n}
      </button>
      {shown && (
        <FloatingPortal>
          <div
            ref={refs.setFloating}
            className={styles.preview}
            style={floatingStyles}
            {...getFloatingProps()}
          >
            <p className={styles.previewWhere}>{whereOf(source)}</p>
            <div className={styles.previewBody}>
              <Thumbnail library={library} file={source.file} page={source.page} width={72} />
              {source.quote && <blockquote>{quoted(source.quote)}</blockquote>}
            </div>
          </div>
        </FloatingPortal>
      )}
    </>
  );
}
