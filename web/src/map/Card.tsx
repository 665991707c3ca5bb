import { IconX } from "@tabler/icons-react";
import { type KeyboardEvent, type RefObject, useEffect, useId, useRef } from "react";
import { IconButton } from "../ui/Button";
import type { Groups } from "./communities";
import { Details, type DetailsProps } from "./Details";
import { at } from "./graph";
import styles from "./map.module.css";

interface CardProps extends DetailsProps {
  /** Set when the focus is to go to what was chosen. */
  arriving: RefObject<boolean>;
  groups: Groups | null;
  close: () => void;
}

/** What is known of the node chosen, beside the map. */
export function Card({ groups, close, arriving, ...details }: CardProps) {
  const { model, node } = details;
  const heading = useRef<HTMLHeadingElement>(null);
  const id = useId();
  const group = groups?.list.find((one) => one.id === at(groups.of, node));
  useEffect(() => {
    if (arriving.current) heading.current?.focus(); // a click on the map leaves the focus alone
    arriving.current = false;
  }, [arriving]);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Escape") close();
  };
  return (
    <section className={styles.card} aria-labelledby={id} data-card onKeyDown={onKeyDown}>
      <header>
        <h2 id={id} ref={heading} tabIndex={-1}>
          {model.names[node]}
        </h2>
        <IconButton label="Close" onClick={close}>
          <IconX size={18} stroke={1.75} aria-hidden />
        </IconButton>
      </header>
      {group && <p className={styles.within}>in the group {group.name}</p>}
      <Details {...details} />
    </section>
  );
}
