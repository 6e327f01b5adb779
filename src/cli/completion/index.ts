// One file of dist, loaded when a shell wants it.
export { complete } from "./complete.ts";
export { SCRIPTS } from "./scripts.ts";
export { createValueCompleter } from "./values.ts";
