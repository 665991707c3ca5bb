import {
  autoUpdate,
  flip,
  offset,
  shift,
  useDismiss,
  useFloating,
  useInteractions,
  useListNavigation,
  useRole,
} from "@floating-ui/react";
import {
  IconEyeOff,
  IconFileText,
  IconFolderOff,
  IconListDetails,
  IconMessageCircle,
  IconRefresh,
} from "@tabler/icons-react";
import { type FocusEvent, useEffect, useRef, useState } from "react";
import { useNavigate } from "react-router";
import type { FileItem } from "../../api/types";
import { askAbout } from "../../ask/scope";
import { say } from "../../language";
import { type FileKind, folderOf, kindOf } from "../../ui/files";
import styles from "./files.module.css";
import type { Leaving } from "./useLeaving";

const SAID = say.library.list;
/** What there is no text of to be summed up: rows are asked about, pictures looked at. */
const UNTOLD: ReadonlySet<FileKind> = new Set(["sheet", "calendar", "contact", "image", "unread"]);

interface MenuProps {
  anchor: HTMLElement;
  file: FileItem;
  library: string;
  /** Null: the file can be neither left out nor read again here. */
  leaving: Leaving | null;
  open: () => void;
  reread: () => void;
  close: () => void;
}

/** What can be done with one file. Shown as long as it is mounted; Escape gives the focus back. */
export function RowMenu({ anchor, file, library, leaving, open, reread, close }: MenuProps) {
  const [active, setActive] = useState<number | null>(0);
  const items = useRef<(HTMLElement | null)[]>([]);
  const leave = () => {
    anchor.focus({ preventScroll: true });
    close();
  };
  useEffect(() => items.current[0]?.focus({ preventScroll: true }), []);
  const { refs, floatingStyles, context } = useFloating({
    open: true,
    onOpenChange: (shown, _, why) => {
      if (!shown) (why === "escape-key" ? leave : close)();
    },
    elements: { reference: anchor },
    placement: "bottom-end",
    middleware: [offset(4), flip(), shift({ padding: 8 })],
    whileElementsMounted: autoUpdate,
  });
  const { getFloatingProps, getItemProps } = useInteractions([
    useRole(context, { role: "menu" }),
    useDismiss(context),
    useListNavigation(context, {
      listRef: items,
      activeIndex: active,
      onNavigate: setActive,
      loop: true,
    }),
  ]);
  const navigate = useNavigate();
  const about = (path: string) => askAbout(library, { paths: [path] });
  const folder = folderOf(file.file);
  const actions = [
    { name: SAID.open, icon: IconFileText, run: open },
    ...(UNTOLD.has(kindOf(file.file, file.format))
      ? []
      : [
          {
            name: SAID.summarise,
            icon: IconListDetails,
            run: () =>
              navigate(`${about(file.file)}&${new URLSearchParams({ q: SAID.summariseThis })}`),
          },
        ]),
    { name: SAID.askFile, icon: IconMessageCircle, run: () => navigate(about(file.file)) },
    ...(folder
      ? [
          {
            name: SAID.askFolder(folder),
            icon: IconMessageCircle,
            run: () => navigate(about(folder)),
          },
        ]
      : []),
    ...(leaving
      ? [
          { name: SAID.reread, icon: IconRefresh, run: reread },
          {
            name: SAID.excludeFile,
            icon: IconEyeOff,
            run: () => leaving.leaveOut(file.file, "file"),
          },
        ]
      : []),
    ...(leaving && folder
      ? [
          {
            name: SAID.excludeFolder(folder),
            icon: IconFolderOff,
            run: () => leaving.leaveOut(folder, "folder"),
          },
        ]
      : []),
  ];
  return (
    <div
      role="menu"
      ref={refs.setFloating}
      style={floatingStyles}
      className={styles.menu}
      aria-label={SAID.actionsFor(file.file)}
      {...getFloatingProps({ onBlur: (event) => leftBy(event) && close() })}
    >
      {actions.map(({ name, icon: Icon, run }, index) => (
        <button
          key={name}
          ref={(element) => {
            items.current[index] = element;
          }}
          type="button"
          role="menuitem"
          tabIndex={index === active ? 0 : -1}
          {...getItemProps({
            onClick: () => {
              leave();
              run();
            },
          })}
        >
          <Icon size={18} stroke={1.75} aria-hidden />
          {name}
        </button>
      ))}
    </div>
  );
}

/** Whether the focus went out of the menu, as Tab takes it. */
function leftBy({ currentTarget, relatedTarget }: FocusEvent<Element>): boolean {
  return relatedTarget !== null && !currentTarget.contains(relatedTarget as Node);
}
