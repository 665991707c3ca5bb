import {
  IconAddressBook,
  IconCalendar,
  IconFile,
  IconFileText,
  IconFileTypePdf,
  IconMail,
  IconPhoto,
  IconPresentation,
  IconTable,
} from "@tabler/icons-react";
import { type FileKind, kindOf } from "./files";

const ICONS: Record<FileKind, typeof IconMail> = {
  pdf: IconFileTypePdf,
  image: IconPhoto,
  sheet: IconTable,
  mail: IconMail,
  slides: IconPresentation,
  calendar: IconCalendar,
  contact: IconAddressBook,
  unread: IconFile,
  text: IconFileText,
};

/** The picture that stands for a kind of file; its name says the same. */
export function FileIcon(props: { file: string; format: string | null; size?: number }) {
  const Icon = ICONS[kindOf(props.file, props.format)];
  return <Icon size={props.size ?? 20} stroke={1.5} aria-hidden />;
}
