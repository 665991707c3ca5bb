import { IconDownload } from "@tabler/icons-react";
import type { UseQueryResult } from "@tanstack/react-query";
import { Link } from "react-router";
import type { ModelItem, Models } from "../api/types";
import { ModelProgress } from "../library/models/ModelProgress";
import { bytesLeft, isFetching, missing, needed, useFetching } from "../library/models/models";
import { size } from "../library/words";
import { Button } from "../ui/Button";
import { Failure, Notice } from "../ui/Notice";
import { Waiting } from "../ui/Progress";
import { Step } from "./Step";
import styles from "./welcome.module.css";

const PURPOSES = { embed: "Finds passages", chat: "Writes answers", vision: "Describes photos" };

interface ModelsProps {
  models: UseQueryResult<Models>;
  waiting: boolean; // a folder is chosen that cannot be read yet
}

/** Step 2: what the models cost, before anything is fetched. */
export function ModelsStep({ models, waiting }: ModelsProps) {
  const { data, error, refetch } = models;
  if (!data) {
    return (
      <Step number={2} title="Fetch the models" state="later">
        {error ? (
          <Failure error={error} again={refetch} />
        ) : (
          <Waiting label="Looking for the models" />
        )}
      </Step>
    );
  }
  const lacking = missing(data.models);
  if (lacking.length === 0) {
    return (
      <Step number={2} title="The models" state="done">
        <p>
          All that is needed is on this machine; nothing has to be fetched.{" "}
          <Link to="/library?tab=models">See the models</Link>
        </p>
      </Step>
    );
  }
  return (
    <Step number={2} title="Fetch the models" state={waiting ? "now" : "later"}>
      <p>
        Small models do the work on this machine. They are fetched once, from the places named here;
        after that no network is needed, and nothing leaves this machine.
      </p>
      <Costs models={needed(data.models)} />
      <Fetch lacking={lacking} free={data.free_bytes} waiting={waiting} />
      {error && <Failure error={error} again={refetch} />}
    </Step>
  );
}

function Costs({ models }: { models: ModelItem[] }) {
  return (
    <table className={styles.models}>
      <thead>
        <tr>
          <th scope="col">Model</th>
          <th scope="col">Licence</th>
          <th scope="col">From</th>
          <th scope="col">Size</th>
        </tr>
      </thead>
      <tbody>
        {models.map((model) => (
          <tr key={model.name}>
            <th scope="row">
              {model.name} <small>{PURPOSES[model.role]}</small>
            </th>
            <td className={styles.licence}>{model.licence}</td>
            <td>{model.source}</td>
            <td>{model.present ? "already here" : size(model.size)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Fetch(props: { lacking: ModelItem[]; free: number; waiting: boolean }) {
  const { lacking, free, waiting } = props;
  const fetching = useFetching();
  const still = lacking.filter((model) => !isFetching(model));
  const search = still.filter((model) => model.role === "embed");
  const total = bytesLeft(still);
  const fetch = (wanted: ModelItem[]) => {
    for (const { name } of wanted) fetching.mutate({ name });
  };
  return (
    <div className={styles.fetch}>
      {lacking.map((model) => model.fetching && <ModelProgress key={model.name} model={model} />)}
      {still.map(({ name, error }) => error && <Broken key={name} name={name} error={error} />)}
      {still.length > 0 && (
        <>
          <p>
            {size(total)} in all. {size(free)} are free on this disk.
          </p>
          {total > free && (
            <Notice kind="warn" title="There is not enough room on the disk.">
              Make room, then load this page again.
            </Notice>
          )}
          <div className={styles.actions}>
            <Button
              kind="primary"
              disabled={fetching.isPending || total > free}
              onClick={() => fetch(still)}
            >
              <IconDownload size={18} stroke={1.75} aria-hidden />
              Fetch {size(total)}
            </Button>
            {search.length > 0 && search.length < still.length && (
              <Button disabled={fetching.isPending} onClick={() => fetch(search)}>
                Only search for now, {size(bytesLeft(search))}
              </Button>
            )}
          </div>
        </>
      )}
      {fetching.error && <Failure error={fetching.error} />}
      {waiting && lacking.some(({ role }) => role === "embed") && (
        <p role="status">Your folder is read as soon as the model for search is here.</p>
      )}
    </div>
  );
}

function Broken({ name, error }: { name: string; error: string }) {
  return (
    <Notice kind="bad" title={`${name} could not be fetched.`}>
      {error}
    </Notice>
  );
}
