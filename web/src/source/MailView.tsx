import { IconPaperclip } from "@tabler/icons-react";
import { useMemo } from "react";
import { say } from "../language";
import { Marked } from "../ui/Marked";
import type { TextLine } from "./lines";
import { mailOf } from "./mail";
import styles from "./mail.module.css";

const SET = /^ {2,}\S|\S {3,}\S/; // blanks that put words below each other

/** A mail: who wrote to whom, and below it what. */
export function MailView({ lines }: { lines: TextLine[] }) {
  const { head, body } = useMemo(() => mailOf(lines), [lines]);
  return (
    <article className={styles.mail}>
      {head.length > 0 && (
        <dl>
          {head.map(({ field, text, marks }) => (
            <div key={field} data-field={field}>
              <dt>
                {field === "Attachments" && <IconPaperclip size={14} aria-hidden />}
                {say.source.mail[field]}
              </dt>
              <dd dir="auto">
                <Marked text={text} marks={marks} />
              </dd>
            </div>
          ))}
        </dl>
      )}
      {body.map((line) => (
        <p
          key={line.number}
          dir="auto"
          data-reply={line.text.startsWith(">") || undefined}
          data-set={SET.test(line.text) || undefined}
        >
          <Marked text={line.text} marks={line.marks} />
        </p>
      ))}
    </article>
  );
}
