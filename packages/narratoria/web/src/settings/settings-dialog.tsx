/** Scheme, text size, motion and developer panes. Every choice counts at once. */
import { Dialog } from "../dialog.tsx";
import { chooseScheme, useScheme } from "../scheme.ts";
import { Segments } from "../segments.tsx";
import { changeSettings, useSettings } from "./settings.ts";
import "./settings.css";

/** Put in when the page is built. */
declare const NARRATORIA_VERSION: string;

const SCHEMES = [
  { value: "dark", label: "Dark" },
  { value: "light", label: "Light" },
  { value: "system", label: "As the system" },
] as const;
const SIZES = [
  { value: "small", label: "Small" },
  { value: "normal", label: "Normal" },
  { value: "large", label: "Large" },
  { value: "huge", label: "Huge" },
] as const;
const MOTION = [
  { value: "system", label: "As the system" },
  { value: "less", label: "As little as possible" },
] as const;
const PANES = [
  { value: "off", label: "Hidden" },
  { value: "on", label: "Shown" },
] as const;

export function SettingsDialog({ close }: { close: () => void }) {
  const scheme = useScheme();
  const { textSize, motion, isDeveloper } = useSettings();
  return (
    <Dialog title="Settings" close={close}>
      <h3>Scheme</h3>
      <Segments label="Scheme" options={SCHEMES} chosen={scheme} choose={chooseScheme} />
      <h3>Text size</h3>
      <Segments
        label="Text size"
        options={SIZES}
        chosen={textSize}
        choose={(size) => changeSettings({ textSize: size })}
      />
      <h3>Motion</h3>
      <Segments label="Motion" options={MOTION} chosen={motion} choose={(kind) => changeSettings({ motion: kind })} />
      <h3>Developer panes</h3>
      <p className="quiet">Raw events and standard error of tools, for those who write them.</p>
      <Segments
        label="Developer panes"
        options={PANES}
        chosen={isDeveloper ? "on" : "off"}
        choose={(choice) => changeSettings({ isDeveloper: choice === "on" })}
      />
      <p className="quiet">Narratoria {NARRATORIA_VERSION}</p>
    </Dialog>
  );
}
