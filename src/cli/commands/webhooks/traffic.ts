// One file of dist, loaded when deliveries are received or sent.
export { runListen as listen } from "./listen/run.ts";
export { runProbe } from "./probe/run.ts";
export { runSend as sendBody } from "./send/send-body.ts";
