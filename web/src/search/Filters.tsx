import { IconAdjustmentsHorizontal } from "@tabler/icons-react";
import { useId, useState } from "react";
import { say } from "../language";
import { Button } from "../ui/Button";
import { DateField } from "../ui/DateField";
import { useOwn } from "../ui/own";
import { FolderChoice } from "./FolderChoice";
import { filtersOf, KINDS, type Query } from "./query";
import styles from "./search.module.css";

const said = say.search.filters;

interface FiltersProps {
  query: Query;
  change: (part: Partial<Query>) => void;
  library: string;
}

/** Kind, folder, dates and order. Where there is little room, they are folded at first. */
export function Filters({ query, change, library }: FiltersProps) {
  const [open, setOpen] = useState(false);
  const id = useId();
  return (
    <>
      <div className={styles.unfold}>
        <Button aria-expanded={open} aria-controls={id} onClick={() => setOpen(!open)}>
          <IconAdjustmentsHorizontal size={18} stroke={1.75} aria-hidden />
          {said.unfold(filtersOf(query).length)}
        </Button>
      </div>
      <div className={styles.filters} id={id} data-open={open}>
        <Kinds chosen={query.kind} choose={(kind) => change({ kind })} />
        <div className={styles.row}>
          <FolderChoice
            library={library}
            value={query.folder}
            choose={(folder) => change({ folder })}
          />
          <DateField
            className={styles.label}
            label={said.from}
            value={query.since}
            change={(since) => change({ since })}
          />
          <DateField
            className={styles.label}
            label={said.to}
            value={query.until}
            change={(until) => change({ until })}
          />
          <Order chosen={query.sort} choose={(sort) => change({ sort })} />
        </div>
        {query.since && query.until && query.since > query.until && (
          <p className={styles.wrong} role="status">
            {said.wrongWay}
          </p>
        )}
      </div>
    </>
  );
}

interface OrderProps {
  chosen: Query["sort"];
  choose: (sort: Query["sort"]) => void;
}

function Order({ chosen, choose }: OrderProps) {
  const [own, setOwn] = useOwn(chosen);
  const take = (sort: Query["sort"]) => {
    setOwn(sort);
    choose(sort);
  };
  return (
    <label className={styles.label}>
      {said.order}
      <select value={own} onChange={(event) => take(event.target.value as Query["sort"])}>
        <option value="relevance">{said.best}</option>
        <option value="date">{said.newest}</option>
      </select>
    </label>
  );
}

function Kinds({ chosen, choose }: { chosen: string; choose: (kind: string) => void }) {
  const [own, setOwn] = useOwn(chosen);
  const name = useId();
  const take = (kind: string) => {
    setOwn(kind);
    choose(kind);
  };
  const known = KINDS.some(({ kind }) => kind === chosen);
  const kinds = known ? KINDS : [...KINDS, { kind: chosen, name: chosen }]; // a link's own
  return (
    <fieldset className={styles.kinds}>
      <legend className="hidden">{said.kind}</legend>
      {kinds.map((each) => (
        <label key={each.kind} className={styles.chip}>
          <input
            type="radio"
            name={name}
            checked={each.kind === own}
            onChange={() => take(each.kind)}
          />
          <span>{each.name}</span>
        </label>
      ))}
    </fieldset>
  );
}
