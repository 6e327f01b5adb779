// Loaded when there is something to show: most commands end sooner than ora is loaded.
export { default as ora } from "ora";
