import { useState } from "react";
import type { SettingsList } from "../../api/types";
import { say } from "../../language";
import shared from "../library.module.css";
import { SettingRow } from "./SettingRow";
import { advanced, sentence } from "./settings";
import styles from "./settings.module.css";

const SAID = say.library.settings;

/** What few people need, found by its words; most of it is set in the file only. */
export function Advanced({ list }: { list: SettingsList }) {
  const [words, setWords] = useState("");
  const own = advanced(list.settings, words);
  const others = advanced(list.others, words);
  return (
    <details className={styles.advanced}>
      <summary>
        <h2>{SAID.advanced}</h2>
      </summary>
      <input
        type="search"
        className={shared.field}
        aria-label={SAID.find}
        placeholder={SAID.find}
        value={words}
        onChange={(event) => setWords(event.target.value)}
      />
      <p className={shared.quiet} role="status">
        {own.length + others.length === 0 ? SAID.nothing : ""}
      </p>
      {own.map((setting) => (
        <SettingRow key={setting.name} setting={setting} />
      ))}
      {others.map((setting) => (
        <div key={setting.name} className={styles.setting}>
          <div className={styles.what}>
            <strong>{sentence(setting)}</strong>
            <p className={styles.origin}>
              <code>{setting.name}</code>
              <span>{setting.origin === "default" ? SAID.isDefault : setting.origin}</span>
            </p>
          </div>
          <div className={styles.value}>
            <output className={styles.shown}>{setting.value}</output>
          </div>
        </div>
      ))}
    </details>
  );
}
