import {
  autoUpdate,
  flip,
  offset,
  useClick,
  useDismiss,
  useFloating,
  useInteractions,
  useMergeRefs,
} from "@floating-ui/react";
import { IconDownload } from "@tabler/icons-react";
import { useId, useRef, useState } from "react";
import type { ConversationItem } from "../api/types";
import { say } from "../language";
import { IconButton } from "../ui/Button";
import styles from "./conversations.module.css";
import { exportOf } from "./useConversations";

const FORMATS = [
  { format: "markdown", name: "Markdown", hint: say.conversations.toRead },
  { format: "json", name: "JSON", hint: say.conversations.forPrograms },
] as const;

/** Unfolds the two forms in which a conversation can be taken out. */
export function Export({ item }: { item: ConversationItem }) {
  const [open, setOpen] = useState(false);
  const button = useRef<HTMLSpanElement>(null);
  const id = useId();
  const { refs, floatingStyles, context } = useFloating({
    open,
    onOpenChange: (wanted, _event, reason) => {
      setOpen(wanted);
      if (reason === "escape-key") button.current?.querySelector("button")?.focus();
    },
    placement: "bottom-end",
    whileElementsMounted: autoUpdate,
    middleware: [offset(4), flip({ padding: 8 })],
  });
  const { getReferenceProps, getFloatingProps } = useInteractions([
    useClick(context),
    useDismiss(context),
  ]);
  return (
    <div>
      <span ref={useMergeRefs([button, refs.setReference])}>
        <IconButton
          label={say.conversations.export(item.title)}
          aria-expanded={open}
          aria-controls={open ? id : undefined}
          {...getReferenceProps()}
        >
          <IconDownload size={18} stroke={1.75} aria-hidden />
        </IconButton>
      </span>
      {open && (
        <ul
          ref={refs.setFloating}
          id={id}
          className={styles.formats}
          style={floatingStyles}
          {...getFloatingProps()}
        >
          {FORMATS.map(({ format, name, hint }) => (
            <li key={format}>
              <a href={exportOf(item, format)} download onClick={() => setOpen(false)}>
                {name} <small>{hint}</small>
              </a>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
