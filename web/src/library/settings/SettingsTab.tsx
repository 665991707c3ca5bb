import { say } from "../../language";
import { Empty, Failure } from "../../ui/Notice";
import { Waiting } from "../../ui/Progress";
import shared from "../library.module.css";
import { useModels } from "../models/models";
import { Advanced } from "./Advanced";
import { SettingRow } from "./SettingRow";
import { grouped, useSettings, withChoices } from "./settings";
import styles from "./settings.module.css";

const SAID = say.library.settings;

/** What can be set safely while Manole runs. */
export function SettingsTab() {
  const { data, isPending, error, refetch } = useSettings();
  const models = useModels().data?.models ?? [];
  if (isPending) return <Waiting label={SAID.loading} />;
  if (!data) return <Failure error={error} again={refetch} />;
  if (data.settings.length === 0) {
    return (
      <Empty title={SAID.none}>
        <p>
          {SAID.noneBefore}
          <code>{data.file}</code>
          {SAID.noneAfter}
        </p>
      </Empty>
    );
  }
  const known = data.settings.map((setting) => withChoices(setting, models));
  return (
    <>
      <p className={shared.lead}>
        {SAID.leadBefore}
        <code className={styles.file}>{data.file}</code>
        {SAID.leadAfter}
      </p>
      {error && <Failure error={error} again={refetch} />}
      {grouped(known).map(({ name, settings }) => (
        <section key={name} className={shared.section} aria-label={name}>
          <h2>{name}</h2>
          {settings.map((setting) => (
            <SettingRow key={setting.name} setting={setting} />
          ))}
        </section>
      ))}
      <Advanced list={data} />
    </>
  );
}
