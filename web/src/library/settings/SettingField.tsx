import { type FormEvent, useRef, useState } from "react";
import type { Setting } from "../../api/types";
import { say } from "../../language";
import { Button } from "../../ui/Button";
import shared from "../library.module.css";
import { inWords, parse, type Value } from "./settings";
import styles from "./settings.module.css";

interface FieldProps {
  id: string;
  setting: Setting;
  value: Value;
  fixed: boolean;
  invalid: boolean;
  set: (value: Value) => void;
  setWrong: (wrong: string | null) => void;
}

/** What a value is entered with. A switch and a choice are kept at once, what is typed on Enter. */
export function SettingField(props: FieldProps) {
  const { id, setting, value, fixed, set } = props;
  if (setting.kind === "bool") {
    return (
      <span className={styles.switch}>
        <input
          id={id}
          type="checkbox"
          role="switch"
          aria-checked={value === true}
          checked={value === true}
          disabled={fixed}
          aria-describedby={`${id}about`}
          onChange={(event) => set(event.target.checked)}
        />
        <span aria-hidden>
          {value === true ? say.library.settings.on : say.library.settings.off}
        </span>
      </span>
    );
  }
  if (setting.kind === "choice" && setting.choices) {
    const known = setting.choices.includes(String(value));
    return (
      <select
        id={id}
        className={shared.field}
        value={String(value)}
        disabled={fixed}
        aria-describedby={`${id}about`}
        onChange={(event) => set(event.target.value)}
      >
        {!known && <option value={String(value)}>{String(value)}</option>}
        {setting.choices.map((choice) => (
          <option key={choice} value={choice}>
            {inWords(setting, choice)}
          </option>
        ))}
      </select>
    );
  }
  return <Typed {...props} />;
}

function Typed({ id, setting, value, fixed, invalid, set, setWrong }: FieldProps) {
  const field = useRef<HTMLInputElement>(null);
  const [typed, setTyped] = useState(String(value));
  const [kept, setKept] = useState(setting.value);
  if (kept !== setting.value) {
    // It was saved, or undone: the field follows.
    setKept(setting.value);
    setTyped(String(setting.value));
  }
  const changed = typed.trim() !== String(setting.value);
  const save = (event: FormEvent) => {
    event.preventDefault();
    field.current?.focus(); // the button goes away
    const read = parse(setting, typed);
    if ("wrong" in read) setWrong(read.wrong);
    else if (changed) set(read.value);
  };
  return (
    <form className={styles.typed} onSubmit={save} noValidate>
      <input
        id={id}
        ref={field}
        className={shared.field}
        data-kind={setting.kind}
        type="text"
        inputMode={setting.kind === "int" ? "numeric" : "text"}
        list={setting.choices ? `${id}choices` : undefined}
        spellCheck={false}
        autoComplete="off"
        value={typed}
        disabled={fixed}
        aria-invalid={invalid}
        aria-describedby={invalid ? `${id}about ${id}error` : `${id}about`}
        onChange={(event) => {
          setTyped(event.target.value);
          setWrong(null);
        }}
      />
      {setting.choices && (
        <datalist id={`${id}choices`}>
          {setting.choices.map((choice) => (
            <option key={choice} value={choice} />
          ))}
        </datalist>
      )}
      {changed && (
        <Button type="submit" kind="primary">
          {say.library.settings.save}
        </Button>
      )}
    </form>
  );
}
