import { useEffect, useId, useState } from "react";
import type { Relation } from "../api/types";
import { number, say } from "../language";
import { Button } from "../ui/Button";
import { EVERY_LINK, type Filter, LEAST_ALIKE, RELATIONS, type Shown } from "./graph";
import styles from "./map.module.css";

const PAUSE = 150; // ms that the slider rests before the map follows

interface FiltersProps {
  /** Links of each relation, whether they are shown or not. */
  all: Shown;
  filter: Filter;
  shown: Shown;
  change: (filter: Filter) => void;
}

/** Which relations are shown, and from which similarity on. */
export function Filters({ all, filter, shown, change }: FiltersProps) {
  const { relations } = filter;
  return (
    <section className={styles.filters} aria-label={say.map.whatIsShown}>
      <h2>{say.map.links}</h2>
      {RELATIONS.map((relation) => (
        <div key={relation}>
          <Switch
            relation={relation}
            count={(relations[relation] ? shown : all).of[relation]}
            on={relations[relation]}
            turn={(on) => change({ ...filter, relations: { ...relations, [relation]: on } })}
          />
          {relation === "similarity" && (
            <Threshold
              value={filter.threshold}
              off={!relations.similarity}
              slide={(threshold) => change({ ...filter, threshold })}
            />
          )}
        </div>
      ))}
      <Button kind="quiet" onClick={() => change(EVERY_LINK)}>
        {say.map.reset}
      </Button>
    </section>
  );
}

interface SwitchProps {
  relation: Relation;
  count: number;
  on: boolean;
  turn: (on: boolean) => void;
}

function Switch({ relation, count, on, turn }: SwitchProps) {
  const id = useId();
  const { name, says } = say.map.relations[relation];
  return (
    <div className={styles.switch}>
      <input
        id={id}
        type="checkbox"
        checked={on}
        aria-describedby={`${id}-says`}
        onChange={(event) => turn(event.target.checked)}
      />
      <label htmlFor={id}>
        {name}
        <span className={styles.stroke} data-relation={relation} aria-hidden />
      </label>
      <small className={styles.count}>
        {number(count)}
        <span className="hidden"> {say.map.linksUnit}</span>
      </small>
      <small id={`${id}-says`}>{says}</small>
    </div>
  );
}

function Threshold(props: { value: number; off: boolean; slide: (value: number) => void }) {
  const { value, off, slide } = props;
  const [own, setOwn] = useState(value);
  useEffect(() => setOwn(value), [value]);
  const share = say.ui.percent(Math.round(100 * own));
  // biome-ignore lint/correctness/useExhaustiveDependencies: only what was slid to is told
  useEffect(() => {
    if (own === value) return;
    const timer = setTimeout(() => slide(own), PAUSE);
    return () => clearTimeout(timer);
  }, [own]);
  return (
    <label className={styles.threshold}>
      <span>
        {say.map.atLeast} <output>{share}</output> {say.map.alikeAfter}
      </span>
      <input
        type="range"
        min={LEAST_ALIKE}
        max={1}
        step={0.01}
        value={own}
        disabled={off}
        aria-valuetext={share}
        onChange={(event) => setOwn(Number(event.target.value))}
      />
    </label>
  );
}
