import { IconDeviceDesktop, IconMoon, IconSun } from "@tabler/icons-react";
import { useState } from "react";
import { say } from "../language";
import { IconButton } from "../ui/Button";
import { setTheme, type Theme, theme } from "./theme";

const NEXT: Record<Theme, Theme> = { system: "light", light: "dark", dark: "system" };
const ICONS = { system: IconDeviceDesktop, light: IconSun, dark: IconMoon };

export function ThemeChoice() {
  const [now, setNow] = useState(theme());
  const Icon = ICONS[now];
  const turn = () => {
    setTheme(NEXT[now]);
    setNow(NEXT[now]);
  };
  return (
    <IconButton
      label={say.app.changeColours(say.app.colours[now], say.app.colours[NEXT[now]])}
      onClick={turn}
    >
      <Icon size={18} stroke={1.75} aria-hidden />
    </IconButton>
  );
}
