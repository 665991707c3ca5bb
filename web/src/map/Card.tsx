import { IconX } from "@tabler/icons-react";
import {
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
  useEffect,
  useId,
  useRef,
} from "react";
import { say } from "../language";
import { IconButton } from "../ui/Button";
import styles from "./map.module.css";

interface CardProps {
  title: string;
  /** Set when the focus is to go to what was chosen. */
  arriving: RefObject<boolean>;
  close: () => void;
  children: ReactNode;
}

/** What is known of the file or the group chosen, beside the map. */
export function Card({ title, arriving, close, children }: CardProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  const id = useId();
  useEffect(() => {
    if (arriving.current) heading.current?.focus(); // a click on the map leaves the focus alone
    arriving.current = false;
  }, [arriving]);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Escape") return;
    event.preventDefault(); // the frame would close the source, too
    close();
  };
  return (
    <section className={styles.card} aria-labelledby={id} data-card onKeyDown={onKeyDown}>
      <header>
        <h2 id={id} ref={heading} tabIndex={-1}>
          {title}
        </h2>
        <IconButton label={say.map.close} onClick={close}>
          <IconX size={18} stroke={1.75} aria-hidden />
        </IconButton>
      </header>
      {children}
    </section>
  );
}
