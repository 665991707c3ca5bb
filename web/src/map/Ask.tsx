import { IconMessageCircle } from "@tabler/icons-react";
import { Link } from "react-router";
import { askAbout, FEW } from "../ask/scope";
import { say } from "../language";
import styles from "./map.module.css";

/** Leads to where these can be asked about; of many, the first. */
export function Ask({
  library,
  paths,
  label,
}: {
  library: string;
  paths: string[];
  label: string;
}) {
  const asked = paths.slice(0, FEW);
  return (
    <>
      <Link className={styles.ask} to={askAbout(library, { paths: asked })}>
        <IconMessageCircle size={16} stroke={1.75} aria-hidden /> {label}
      </Link>
      {paths.length > FEW && <small>{say.map.firstAsked(FEW)}</small>}
    </>
  );
}
