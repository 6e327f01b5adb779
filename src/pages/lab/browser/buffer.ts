// What stands for node:buffer in a browser.
export { Bytes as Buffer } from "./bytes.ts";
