import { IconDeviceDesktop, IconMoon, IconSun } from "@tabler/icons-react";
import { say } from "../language";
import { IconButton } from "../ui/Button";
import { setTheme, type Theme, useTheme } from "./theme";

const NEXT: Record<Theme, Theme> = { system: "light", light: "dark", dark: "system" };
const ICONS = { system: IconDeviceDesktop, light: IconSun, dark: IconMoon };

/** Light or dark, where there is room for a button only. */
export function ThemeChoice() {
  const now = useTheme();
  const Icon = ICONS[now];
  return (
    <IconButton
      label={say.app.changeColours(say.app.colours[now], say.app.colours[NEXT[now]])}
      onClick={() => setTheme(NEXT[now])}
    >
      <Icon size={18} stroke={1.75} aria-hidden />
    </IconButton>
  );
}

/** The same choice in words. */
export function ThemeList({ className }: { className?: string | undefined }) {
  const { colours, themes } = say.app.thisPage;
  return (
    <label>
      {colours}
      <select
        className={className}
        value={useTheme()}
        onChange={({ target }) => setTheme(target.value as Theme)}
      >
        {Object.entries(themes).map(([theme, name]) => (
          <option key={theme} value={theme}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}
