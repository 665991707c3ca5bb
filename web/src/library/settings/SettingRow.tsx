import { IconCheck, IconLock } from "@tabler/icons-react";
import { useId, useState } from "react";
import { ApiError } from "../../api/client";
import type { Setting } from "../../api/types";
import { say } from "../../language";
import { Button } from "../../ui/Button";
import { SettingField } from "./SettingField";
import {
  asItIs,
  effectOf,
  fixedBy,
  inWords,
  sentence,
  titleOf,
  useSave,
  type Value,
} from "./settings";
import styles from "./settings.module.css";

const SAID = say.library.settings;

/** One setting: what it does, its value, and what a change just did, with the way back. */
export function SettingRow({ setting }: { setting: Setting }) {
  const id = useId();
  const save = useSave(setting.name);
  const [before, setBefore] = useState<{ value: Value | null } | null>(null);
  const [wrong, setWrong] = useState<string | null>(null);
  const fixed = fixedBy(setting);
  const set = (value: Value | null, undone = false) => {
    setWrong(null);
    setBefore(undone ? null : { value: asItIs(setting) });
    save.mutate(value);
  };
  const failed = wrong ?? (save.error ? messageOf(save.error) : null);
  const done = save.isSuccess && !failed;
  const shown = save.isPending ? (save.variables ?? setting.default) : setting.value;
  return (
    <div className={styles.setting}>
      <div className={styles.what}>
        <label htmlFor={id}>{titleOf(setting)}</label>
        <p id={`${id}about`}>{described(setting)}</p>
        <p className={styles.origin}>
          <code>{setting.name}</code>
          {fixed ? (
            <span className={styles.fixed}>
              <IconLock size={15} stroke={1.75} aria-hidden />
              {fixed}
            </span>
          ) : (
            <Origin setting={setting} reset={() => set(null)} />
          )}
          {setting.pending && !done && <span>{SAID.pending}</span>}
        </p>
      </div>
      <div className={styles.value}>
        <SettingField
          id={id}
          setting={setting}
          value={shown}
          fixed={fixed !== null}
          invalid={failed !== null}
          set={set}
          setWrong={setWrong}
        />
        {failed && (
          <p id={`${id}error`} className={styles.wrong} role="alert">
            {failed}
          </p>
        )}
        <div className={styles.saved}>
          <p role="status">
            {done && (
              <>
                <IconCheck size={17} stroke={2} aria-hidden />
                {before === null ? SAID.undone : SAID.saved} {effectOf(setting)}
              </>
            )}
          </p>
          {done && before !== null && (
            <Button
              kind="quiet"
              aria-label={SAID.undoThis(titleOf(setting))}
              onClick={() => {
                set(before.value, true);
                document.getElementById(id)?.focus(); // this button goes away
              }}
            >
              {say.library.undo}
            </Button>
          )}
        </div>
      </div>
    </div>
  );
}

function described(setting: Setting) {
  return sentence(setting)
    .split("`")
    .map((part, index) => (index % 2 ? <code key={part}>{part}</code> : part));
}

/** Whether somebody set it, and the way back to the default. */
function Origin({ setting, reset }: { setting: Setting; reset: () => void }) {
  if (setting.origin === "default") return <span>{SAID.isDefault}</span>;
  return (
    <span>
      {SAID.inFile}{" "}
      <button type="button" className={styles.reset} onClick={reset}>
        {SAID.toDefault(inWords(setting, setting.default))}
      </button>
    </span>
  );
}

function messageOf(error: Error): string {
  const hint = error instanceof ApiError ? error.hint : null;
  return (hint ? `${error.message} ${hint}` : error.message).replaceAll("`", "");
}
