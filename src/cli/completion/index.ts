// One file of dist, loaded when a shell wants it.
export { complete } from "./candidates.ts";
export { SCRIPTS } from "./scripts.ts";
export { createValueCompleter as offersOf } from "./values.ts";
