import { command } from "../../framework/command.ts";

export const demo = command({
  name: "demo",
  summary: "see the whole story in a few seconds, on a sandbox of its own",
  remote: false,
  output: "nothing",
  options: {},
  examples: ["claims demo", "claims demo --json | jq .report.totals", "claims demo --json | jq .webhook"],
  run: async (context, call) => (await import("./run.ts")).runDemo(context, call),
});
