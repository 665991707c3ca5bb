import { useId } from "react";
import type { Relation } from "../api/types";
import { Button } from "../ui/Button";
import type { Filter, Model, Shown } from "./graph";
import { LEAST_ALIKE } from "./limits";
import styles from "./map.module.css";
import type { SizeBy } from "./sizes";
import { grouped, percent, RELATION_NAMES, TOLD } from "./words";

interface FiltersProps {
  model: Model;
  filter: Filter;
  shown: Shown;
  change: (filter: Filter) => void;
  sizeBy: SizeBy;
  size: (by: SizeBy) => void;
  reset: () => void;
}

/** Which relations are shown, from which similarity on, and what the nodes' size says. */
export function Filters({ model, filter, shown, change, sizeBy, size, reset }: FiltersProps) {
  const turn = (relation: Relation, on: boolean) =>
    change({ ...filter, relations: { ...filter.relations, [relation]: on } });
  return (
    <section className={styles.filters} aria-label="What the map shows">
      <h2>Links</h2>
      {TOLD.map((relation) => {
        const [from, to] = model.ranges[relation];
        return (
          <div key={relation}>
            <Switch
              relation={relation}
              count={filter.relations[relation] ? shown[relation] : to - from}
              on={filter.relations[relation]}
              turn={(on) => turn(relation, on)}
            />
            {relation === "similarity" && (
              <Threshold
                value={filter.threshold}
                off={!filter.relations.similarity}
                slide={(threshold) => change({ ...filter, threshold })}
              />
            )}
          </div>
        );
      })}
      <label className={styles.sizeBy}>
        Dots are larger with
        <select value={sizeBy} onChange={(event) => size(event.target.value as SizeBy)}>
          <option value="links">more links</option>
          <option value="size">larger files</option>
        </select>
      </label>
      <Button kind="quiet" onClick={reset}>
        Reset
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
  const { name, says } = RELATION_NAMES[relation];
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
        <span className={styles.stroke} data-relation={relation} aria-hidden />
        {name}
      </label>
      <small className={styles.count}>
        {grouped(count)}
        <span className="hidden"> links</span>
      </small>
      <small id={`${id}-says`}>{says}</small>
    </div>
  );
}

function Threshold(props: { value: number; off: boolean; slide: (value: number) => void }) {
  const { value, off, slide } = props;
  return (
    <label className={styles.threshold}>
      <span>
        at least <output>{percent(value)}</output> alike
      </span>
      <input
        type="range"
        min={LEAST_ALIKE}
        max={1}
        step={0.01}
        value={value}
        disabled={off}
        aria-valuetext={percent(value)}
        onChange={(event) => slide(Number(event.target.value))}
      />
    </label>
  );
}
