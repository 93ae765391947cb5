/** Starts the app in the browser; `app.tsx` is what it shows. */
import { signIn } from "./sign-in.ts";
import "./theme/colors.css";
import "./theme/base.css";
import "./m3e-elements.ts";
import { createRoot } from "react-dom/client";
import { App } from "./app.tsx";
import { registerServiceWorker } from "./offline/register.ts";
import { applyScheme } from "./scheme.ts";
import { applySettings } from "./settings/settings.ts";

// First of all, and before anything asks the server.
const signedIn = signIn();
applyScheme();
applySettings();
registerServiceWorker();
await signedIn;
const container = document.getElementById("app");
if (container !== null) createRoot(container).render(<App />);
