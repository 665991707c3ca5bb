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
import { useState } from "react";
import type { Source } from "../api/types";
import { say } from "../language";
import { Thumbnail } from "../source/Thumbnail";
import styles from "./ask.module.css";
import { whereOf } from "./where";

interface CitationProps {
  source: Source;
  library: string;
  open: (source: Source) => void;
}

/** `[n]`: what it quotes is shown when pointed at; pressed, it opens the file at that place. */
export function Citation({ source, library, open }: CitationProps) {
  const [shown, setShown] = useState(false);
  const { refs, floatingStyles, context } = useFloating({
    open: shown,
    onOpenChange: setShown,
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
  return (
    <>
      <button
        type="button"
        ref={refs.setReference}
        className={styles.cite}
        {...getReferenceProps({ onClick: () => open(source) })}
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
              {source.quote && <blockquote>{source.quote}</blockquote>}
            </div>
          </div>
        </FloatingPortal>
      )}
    </>
  );
}
