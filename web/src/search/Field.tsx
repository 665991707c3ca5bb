import { IconSearch, IconX } from "@tabler/icons-react";
import type { KeyboardEvent, RefObject } from "react";
import { say } from "../language";
import { IconButton } from "../ui/Button";
import { Waiting } from "../ui/Progress";
import styles from "./search.module.css";

interface FieldProps {
  ref: RefObject<HTMLInputElement | null>;
  text: string;
  type: (text: string) => void;
  onKeyDown: (event: KeyboardEvent) => void;
  busy: boolean;
}

/** Where the words are typed. */
export function Field({ ref, text, type, onKeyDown, busy }: FieldProps) {
  const clear = () => {
    type("");
    ref.current?.focus();
  };
  return (
    <div className={styles.field}>
      <IconSearch size={20} stroke={1.75} aria-hidden />
      <input
        ref={ref}
        type="search"
        aria-label={say.search.field.label}
        aria-keyshortcuts="Control+K Meta+K"
        placeholder={say.search.field.placeholder}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        enterKeyHint="search"
        maxLength={1000}
        value={text}
        onChange={(event) => type(event.target.value)}
        onKeyDown={onKeyDown}
      />
      {busy && (
        <span aria-hidden>
          <Waiting label="" />
        </span>
      )}
      {text ? (
        <IconButton label={say.search.field.clear} onClick={clear}>
          <IconX size={18} stroke={1.75} aria-hidden />
        </IconButton>
      ) : (
        <kbd aria-hidden>{say.search.field.key}</kbd>
      )}
    </div>
  );
}
