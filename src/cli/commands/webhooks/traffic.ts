// One file of dist, loaded when deliveries are received or sent.
export { runListen } from "./listen/run.ts";
export { runProbe } from "./probe/run.ts";
export { runSend } from "./send/run.ts";
