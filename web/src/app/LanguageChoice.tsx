import { IconLanguage } from "@tabler/icons-react";
import { say } from "../language";
import { chooseLanguage, LANGUAGES, type Language, ownLanguage } from "../language/choice";
import styles from "./Shell.module.css";

/** Which language the page speaks; until one is chosen the browser's. */
export function LanguageChoice() {
  return (
    <label className={styles.language} title={say.app.language}>
      <IconLanguage size={18} stroke={1.75} aria-hidden />
      <select
        aria-label={say.app.language}
        value={ownLanguage() ?? ""}
        onChange={({ target }) => chooseLanguage((target.value || null) as Language | null)}
      >
        <option value="">{say.app.asBrowser}</option>
        {Object.entries(LANGUAGES).map(([code, { name }]) => (
          <option key={code} value={code} lang={code}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}
