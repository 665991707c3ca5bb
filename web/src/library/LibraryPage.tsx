import { say } from "../language";
import { FilesTab } from "./files/FilesTab";
import styles from "./library.module.css";
import { ModelsTab } from "./models/ModelsTab";
import { SettingsTab } from "./settings/SettingsTab";
import { ThisPage } from "./settings/ThisPage";
import { Tabs, useTab } from "./Tabs";

/** What is indexed, which models work on it, and what can be set. */
export function LibraryPage() {
  const tab = useTab();
  return (
    <div className={styles.page}>
      <header className={styles.head}>
        <h1>{say.library.title}</h1>
        <Tabs chosen={tab} />
      </header>
      {tab === "files" && <FilesTab />}
      {tab === "models" && <ModelsTab />}
      {tab === "settings" && (
        <>
          <ThisPage />
          <SettingsTab />
        </>
      )}
    </div>
  );
}
