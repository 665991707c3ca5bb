import { IconLanguage } from "@tabler/icons-react";
import { say } from "../language";
import { chooseLanguage, LANGUAGES, type Language, ownLanguage } from "../language/choice";
import styles from "./Shell.module.css";

/**
 * Which language the page speaks; until one is chosen the browser's. A picture is its button, or,
 * where a `field` says how the list looks, its name stands beside that.
 */
export function LanguageChoice({ field }: { field?: string | undefined }) {
  return (
    <label className={field ? undefined : styles.language} title={say.app.language}>
      {field ? say.app.language : <IconLanguage size={18} stroke={1.75} aria-hidden />}
      <select
        className={field}
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
