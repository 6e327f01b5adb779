// Runs in a browser. Programs, and the console, have the check without the page.
import { checkPasted, explainInBrowser } from "./check.ts";
import { connectLab } from "./connect.tsx";

if (typeof document !== "undefined") connectLab(document, () => Date.now());

export { checkPasted, explainInBrowser };
