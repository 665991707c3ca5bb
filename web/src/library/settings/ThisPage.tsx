import { LanguageChoice } from "../../app/LanguageChoice";
import { ThemeList } from "../../app/ThemeChoice";
import { say } from "../../language";
import shared from "../library.module.css";
import styles from "./settings.module.css";

/** How the page looks in this browser: on a phone nothing else leads to that. */
export function ThisPage() {
  return (
    <section className={styles.looks} aria-labelledby="this-page">
      <h2 id="this-page">{say.app.thisPage.title}</h2>
      <ThemeList className={shared.field} />
      <LanguageChoice field={shared.field} />
    </section>
  );
}
