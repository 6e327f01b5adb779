// What stands for node:buffer in a browser.
export { BrowserBuffer as Buffer } from "./bytes.ts";
