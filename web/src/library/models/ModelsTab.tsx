import { Link, useSearchParams } from "react-router";
import type { ModelItem } from "../../api/types";
import { Empty, Failure, Notice } from "../../ui/Notice";
import { Waiting } from "../../ui/Progress";
import shared from "../library.module.css";
import { toTab } from "../Tabs";
import { size } from "../words";
import { ModelRow } from "./ModelRow";
import { byRole, elsewhere, missing, useModels } from "./models";
import styles from "./models.module.css";

/** The models by what they do: which are at hand, which are used, and fetching the others. */
export function ModelsTab() {
  const [search] = useSearchParams();
  const { data, isPending, error, refetch } = useModels();
  if (isPending) return <Waiting label="Loading the models" />;
  if (!data) return <Failure error={error} again={refetch} />;
  const groups = byRole(data.models);
  return (
    <>
      <p className={shared.lead}>
        A model is fetched once, from the place that is named beside it: here, or by the first
        question or update that needs it. Afterwards it works on this machine, without a network: no
        file, no question and no answer leaves it.
      </p>
      <p className={shared.quiet}>{size(data.free_bytes)} are free on this disk.</p>
      <Elsewhere models={data.models} />
      {error && <Failure error={error} again={refetch} />}
      {missing(data.models).map(({ name, role }) => (
        <Notice key={name} kind="warn" title={`${name} is in use and not at hand.`}>
          {role === "chat"
            ? "Fetch it to get answers; search works without it."
            : "Fetch it: nothing new can be indexed without it."}
        </Notice>
      ))}
      {groups.length === 0 && (
        <Empty title="No models are known">
          <p>
            The settings name where models come from; see the section{" "}
            <Link to={toTab(search, "settings")}>Settings</Link>.
          </p>
        </Empty>
      )}
      {groups.map(({ role, name, purpose, models }) => (
        <section key={role} className={shared.section} aria-labelledby={`role-${role}`}>
          <h2 id={`role-${role}`}>{name}</h2>
          <p className={shared.quiet}>{purpose}</p>
          <ul className={styles.models}>
            {models.map((model) => (
              <ModelRow key={model.name} model={model} free={data.free_bytes} />
            ))}
          </ul>
        </section>
      ))}
      <p className={`${shared.quiet} ${styles.which}`}>
        Which model is used stands in the <Link to={toTab(search, "settings")}>settings</Link>.
      </p>
    </>
  );
}

/** Said only where something does leave this machine. */
function Elsewhere({ models }: { models: ModelItem[] }) {
  return elsewhere(models).map(({ name, role }) => (
    <Notice key={name} kind="warn" title={`${name} is another server.`}>
      {SENT[role]}
    </Notice>
  ));
}

const SENT = {
  chat: "Your questions, and the passages found for them, are sent there for the answer.",
  embed: "The text of your files, and your questions, are sent there to be indexed.",
  vision: "Your pictures are sent there to be described.",
};
