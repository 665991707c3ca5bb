import { IconDownload } from "@tabler/icons-react";
import type { UseQueryResult } from "@tanstack/react-query";
import { Link } from "react-router";
import type { ModelItem, Models } from "../api/types";
import { say } from "../language";
import { ModelProgress } from "../library/models/ModelProgress";
import { bytesLeft, isFetching, missing, needed, useFetching } from "../library/models/models";
import { size } from "../library/words";
import { Button } from "../ui/Button";
import { Failure, Notice } from "../ui/Notice";
import { Waiting } from "../ui/Progress";
import { Step } from "./Step";
import styles from "./welcome.module.css";

const SAID = say.welcome.models;

interface ModelsProps {
  models: UseQueryResult<Models>;
  waiting: boolean; // a folder is chosen that cannot be read yet
}

/** Step 2: what the models cost, before anything is fetched. */
export function ModelsStep({ models, waiting }: ModelsProps) {
  const { data, error, refetch } = models;
  if (!data) {
    return (
      <Step number={2} title={SAID.fetch} state="later">
        {error ? <Failure error={error} again={refetch} /> : <Waiting label={SAID.looking} />}
      </Step>
    );
  }
  const lacking = missing(data.models);
  if (lacking.length === 0) {
    return (
      <Step number={2} title={SAID.title} state="done">
        <p>
          {SAID.allHere} <Link to="/library?tab=models">{SAID.see}</Link>
        </p>
      </Step>
    );
  }
  return (
    <Step number={2} title={SAID.fetch} state={waiting ? "now" : "later"}>
      <p>{SAID.what}</p>
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
          <th scope="col">{SAID.model}</th>
          <th scope="col">{SAID.licence}</th>
          <th scope="col">{SAID.from}</th>
          <th scope="col">{SAID.size}</th>
        </tr>
      </thead>
      <tbody>
        {models.map((model) => (
          <tr key={model.name}>
            <th scope="row">
              {model.name} <small>{SAID.purposes[model.role === "embed" ? "embed" : "chat"]}</small>
            </th>
            <td className={styles.licence}>{model.licence}</td>
            <td>{model.source}</td>
            <td>{model.present ? SAID.here : size(model.size)}</td>
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
          <p>{SAID.inAll(size(total), size(free))}</p>
          {total > free && (
            <Notice kind="warn" title={SAID.noRoom}>
              {SAID.makeRoom}
            </Notice>
          )}
          <div className={styles.actions}>
            <Button
              kind="primary"
              disabled={fetching.isPending || total > free}
              onClick={() => fetch(still)}
            >
              <IconDownload size={18} stroke={1.75} aria-hidden />
              {SAID.fetchAll(size(total))}
            </Button>
            {search.length > 0 && search.length < still.length && (
              <Button disabled={fetching.isPending} onClick={() => fetch(search)}>
                {SAID.onlySearch(size(bytesLeft(search)))}
              </Button>
            )}
          </div>
        </>
      )}
      {fetching.error && <Failure error={fetching.error} />}
      {waiting && lacking.some(({ role }) => role === "embed") && <p role="status">{SAID.waits}</p>}
    </div>
  );
}

function Broken({ name, error }: { name: string; error: string }) {
  return (
    <Notice kind="bad" title={SAID.failed(name)}>
      {error}
    </Notice>
  );
}
