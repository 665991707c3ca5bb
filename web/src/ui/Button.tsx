import type { ButtonHTMLAttributes, ReactNode } from "react";
import styles from "./ui.module.css";

type Native = ButtonHTMLAttributes<HTMLButtonElement>;

export function Button({
  kind = "plain",
  ...rest
}: Native & { kind?: "plain" | "primary" | "quiet" | "danger" }) {
  return <button type="button" {...rest} className={styles.button} data-kind={kind} />;
}

/** A button that is a picture; `label` is what it is called. */
export function IconButton({ label, ...rest }: Native & { label: string; children: ReactNode }) {
  return (
    <button type="button" {...rest} className={styles.icon} aria-label={label} title={label} />
  );
}
