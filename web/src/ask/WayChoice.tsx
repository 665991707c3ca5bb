import { IconRoute } from "@tabler/icons-react";
import { type FocusEvent, type KeyboardEvent, useEffect, useRef, useState } from "react";
import { say } from "../language";
import { Button } from "../ui/Button";
import { useOwn } from "../ui/own";
import styles from "./way.module.css";
import type { Ways } from "./ways";

const words = say.ask.ways;

interface WayProps {
  ways: Ways;
  /** The strategy that was chosen; null: as set. */
  way: string | null;
  choose: (way: string | null) => void;
}

/** How the answer is made: one of the strategies, each with a sentence. */
export default function WayChoice({ ways, choose, ...props }: WayProps) {
  const [way, setWay] = useOwn(props.way);
  const [open, setOpen] = useState(false);
  const button = useRef<HTMLDivElement>(null);
  const now = way ?? ways.asSet;
  const pick = (chosen: string | null) => {
    setWay(chosen);
    choose(chosen);
  };
  const close = (leaving = false) => {
    setOpen(false);
    if (!leaving) button.current?.querySelector("button")?.focus();
  };
  return (
    <div ref={button} className={styles.way}>
      <Button
        kind="quiet"
        onClick={() => setOpen(!open)}
        aria-expanded={open}
        aria-label={words.choose(now)}
        title={words.choose(now)}
      >
        <IconRoute size={16} aria-hidden />
        <span className={way ? undefined : styles.set}>{now}</span>
      </Button>
      {open && <Choices ways={ways} now={now} choose={pick} close={close} />}
    </div>
  );
}

interface ChoicesProps {
  ways: Ways;
  now: string;
  choose: (way: string | null) => void;
  /** Done; `leaving` where the focus has gone elsewhere. */
  close: (leaving?: boolean) => void;
}

function Choices({ ways, now, choose, close }: ChoicesProps) {
  const box = useRef<HTMLFieldSetElement>(null);
  useEffect(() => box.current?.querySelector<HTMLElement>(":checked")?.focus(), []);
  const onKey = (event: KeyboardEvent) => {
    if (event.key !== "Escape" && event.key !== "Enter") return;
    event.preventDefault();
    event.stopPropagation();
    close();
  };
  const onBlur = (event: FocusEvent) => {
    const within = event.currentTarget.parentElement?.contains(event.relatedTarget);
    if (!within && document.hasFocus()) close(true);
  };
  return (
    <fieldset ref={box} className={styles.ways} onKeyDown={onKey} onBlur={onBlur}>
      <legend>{words.legend}</legend>
      {ways.all.map((name) => (
        <label key={name}>
          <input
            type="radio"
            name="way"
            checked={name === now}
            onChange={() => choose(name === ways.asSet ? null : name)}
          />
          <span>
            <strong>{name}</strong> {name === ways.asSet && <i>({words.asSet})</i>}
            <small>{words.about[name]}</small>
          </span>
        </label>
      ))}
    </fieldset>
  );
}
