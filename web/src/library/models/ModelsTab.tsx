import { Link, useSearchParams } from "react-router";
import type { ModelItem } from "../../api/types";
import { say } from "../../language";
import { Empty, Failure, Notice } from "../../ui/Notice";
import { Waiting } from "../../ui/Progress";
import shared from "../library.module.css";
import { toTab } from "../Tabs";
import { size } from "../words";
import { ModelRow } from "./ModelRow";
import { byRole, elsewhere, isFirst, missing, useModels } from "./models";
import styles from "./models.module.css";

const SAID = say.library.models;

/** The models by what they do: which are at hand, which are used, and fetching the others. */
export function ModelsTab() {
  const [search] = useSearchParams();
  const { data, isPending, error, refetch } = useModels();
  if (isPending) return <Waiting label={SAID.loading} />;
  if (!data) return <Failure error={error} again={refetch} />;
  const groups = byRole(data.models);
  return (
    <>
      <p className={shared.lead}>{SAID.lead}</p>
      <p className={shared.quiet}>{SAID.free(size(data.free_bytes))}</p>
      <Elsewhere models={data.models} />
      {error && <Failure error={error} again={refetch} />}
      {missing(data.models).map(({ name, role }) => (
        <Notice key={name} kind="warn" title={SAID.missing(name)}>
          {role === "chat" ? SAID.missingChat : SAID.missingEmbed}
        </Notice>
      ))}
      {groups.length === 0 && (
        <Empty title={SAID.none}>
          <p>
            {SAID.noneBefore}
            <Link to={toTab(search, "settings")}>{say.library.tabs.settings}</Link>
            {SAID.noneAfter}
          </p>
        </Empty>
      )}
      {groups.map(({ role, models }) => (
        <section key={role} className={shared.section} aria-labelledby={`role-${role}`}>
          <h2 id={`role-${role}`}>{SAID.roles[role].name}</h2>
          <p className={shared.quiet}>{SAID.roles[role].purpose}</p>
          <List models={models.filter(isFirst)} free={data.free_bytes} />
          <Others models={models.filter((model) => !isFirst(model))} free={data.free_bytes} />
        </section>
      ))}
      <p className={`${shared.quiet} ${styles.which}`}>
        {SAID.whichBefore}
        <Link to={toTab(search, "settings")}>{SAID.which}</Link>
        {SAID.whichAfter}
      </p>
    </>
  );
}

function List({ models, free }: { models: ModelItem[]; free: number }) {
  return (
    <ul className={styles.models}>
      {models.map((model) => (
        <ModelRow key={model.name} model={model} free={free} />
      ))}
    </ul>
  );
}

function Others({ models, free }: { models: ModelItem[]; free: number }) {
  if (models.length === 0) return null;
  return (
    <details className={styles.others}>
      <summary>{SAID.others(models.length)}</summary>
      <List models={models} free={free} />
    </details>
  );
}

/** Said only where something does leave this machine. */
function Elsewhere({ models }: { models: ModelItem[] }) {
  return elsewhere(models).map(({ name, role }) => (
    <Notice key={name} kind="warn" title={SAID.elsewhere(name)}>
      {role !== "rerank" && SAID.sent[role]}
    </Notice>
  ));
}
