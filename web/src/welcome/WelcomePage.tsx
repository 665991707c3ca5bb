import { useEffect, useState } from "react";
import { Link } from "react-router";
import { folderName } from "../app/LibraryChoice";
import { useLibraries, useLibrary } from "../app/library";
import { say } from "../language";
import { missing, useModels } from "../library/models/models";
import { useSync } from "../library/sync";
import { Failure } from "../ui/Notice";
import { Waiting } from "../ui/Progress";
import { type Choice, useAddLibrary } from "./add";
import { ChooseStep } from "./ChooseStep";
import { ModelsStep } from "./ModelsStep";
import { ReadStep } from "./ReadStep";
import styles from "./welcome.module.css";

const SAID = say.welcome;

/** The first run: choose a folder, see what the models cost, watch it being read. */
export function WelcomePage() {
  const libraries = useLibraries();
  const models = useModels();
  const add = useAddLibrary();
  const [choice, setChoice] = useState<Choice | null>(null);
  // Without the model for search nothing can be read: a folder waits for it.
  const waits = !models.data || missing(models.data.models).some(({ role }) => role === "embed");
  const { mutate, isIdle } = add;
  useEffect(() => {
    if (choice && !waits && isIdle) mutate(choice);
  }, [choice, waits, isIdle, mutate]);
  const choose = (wanted: Choice | null) => {
    add.reset();
    setChoice(wanted);
  };
  if (libraries.isError) return <Failure error={libraries.error} again={libraries.refetch} />;
  if (!libraries.data) return <Waiting label={SAID.loading} />;
  const known = libraries.data.filter((library) => library.name !== add.data?.name);
  return (
    <div className={styles.page}>
      <header className={styles.hero}>
        <img src="/favicon.svg" alt="" width="56" height="56" />
        {known.length === 0 ? (
          <>
            <h1>{SAID.title}</h1>
            <p>{SAID.lead}</p>
          </>
        ) : (
          <>
            <h1>{SAID.another}</h1>
            <p>
              {SAID.anotherBefore(known.map(folderName))}
              <Link to="/library">{SAID.anotherLibrary}</Link>
              {SAID.anotherAfter}
            </p>
          </>
        )}
      </header>
      <ol className={styles.steps}>
        <ChooseStep choice={choice} added={add.data} busy={add.isPending} choose={choose}>
          {add.error && <Failure error={add.error} again={() => choice && add.mutate(choice)} />}
        </ChooseStep>
        <ModelsStep models={models} waiting={choice !== null && !add.data} />
        <Reading added={add.data?.name ?? null} example={choice === "example"} />
      </ol>
    </div>
  );
}

/** The last step, also of a library whose reading goes on from before. */
function Reading({ added, example }: { added: string | null; example: boolean }) {
  const library = useLibrary();
  const name = added ?? library?.name;
  return name ? <Known name={name} added={added !== null} example={example} /> : <ReadStep />;
}

function Known(props: { name: string; added: boolean; example: boolean }) {
  const sync = useSync(props.name);
  const [begun, setBegun] = useState(false);
  const running = sync.data?.state === "running";
  if (running && !begun) setBegun(true);
  if (!props.added && !begun) return <ReadStep />;
  return <ReadStep name={props.name} sync={sync.data} example={props.example} />;
}
