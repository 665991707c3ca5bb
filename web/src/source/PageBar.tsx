import { IconLayoutSidebar, IconMinus, IconPlus } from "@tabler/icons-react";
import { say } from "../language";
import { IconButton } from "../ui/Button";
import { Pager } from "./Pager";
import styles from "./pages.module.css";
import { FIT, stepped } from "./zoom";

interface BarProps {
  page: number;
  pages: number;
  turnTo: (page: number) => void;
  zoom: number;
  setZoom: (zoom: number) => void;
  strip: boolean;
  setStrip: (on: boolean) => void;
}

/** Which page is read and how large it is; and the strip of small pictures. */
export function PageBar({ page, pages, turnTo, zoom, setZoom, strip, setStrip }: BarProps) {
  const size = say.ui.percent(Math.round(100 * zoom));
  return (
    <div className={styles.bar}>
      {pages > 1 && (
        <>
          <IconButton
            label={say.source.thumbnails}
            aria-pressed={strip}
            onClick={() => setStrip(!strip)}
          >
            <IconLayoutSidebar size={17} stroke={1.75} aria-hidden />
          </IconButton>
          <Pager page={page} pages={pages} turnTo={turnTo} />
        </>
      )}
      <fieldset className={styles.zoom} aria-label={say.source.size}>
        <IconButton
          label={say.source.smaller}
          disabled={stepped(zoom, -1) >= zoom}
          onClick={() => setZoom(stepped(zoom, -1))}
        >
          <IconMinus size={16} aria-hidden />
        </IconButton>
        <button
          type="button"
          title={say.source.fit}
          aria-label={say.source.fitFrom(size)}
          onClick={() => setZoom(FIT)}
        >
          {size}
        </button>
        <IconButton
          label={say.source.larger}
          disabled={stepped(zoom, 1) <= zoom}
          onClick={() => setZoom(stepped(zoom, 1))}
        >
          <IconPlus size={16} aria-hidden />
        </IconButton>
      </fieldset>
    </div>
  );
}
