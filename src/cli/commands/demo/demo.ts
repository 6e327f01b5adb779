import { command } from "../../framework/command.ts";

export const demo = command({
  name: "demo",
  prints: "Demo",
  summary: "run a complete example on a temporary sandbox, in a few seconds",
  output: "nothing",
  examples: ["claims demo", "claims demo --json | jq .report.totals", "claims demo --json | jq .webhook"],
  run: async (context, call) => (await import("./run.ts")).runDemo(context, call),
});
