import { command } from "../../../framework/command.ts";
import { learnOptions } from "./options.ts";

export const learn = command({
  name: "learn",
  prints: "ServiceForm",
  summary: "record the form of a real service, to compare it with what is assumed",
  remote: "writes",
  waitsForJob: true,
  output: "document",
  options: learnOptions,
  examples: [
    "claims contract learn --profile trial --out service.json",
    "claims contract learn --har recorded.har --har other.har --out service.json",
    "claims contract learn --deliveries ./deliveries --out service.json",
    "claims contract learn --job JOB --merge service.json --out service.json",
    "claims contract learn --submit entries.csv --seller-name Acme --test-event --out service.json",
  ],
  run: async (context, call) => (await import("./run.ts")).runLearn(context, call),
});
