import { command, type Invocation } from "../../../framework/command.ts";

const fileArgument = { name: "file", help: "the mapping" } as const;

export type CheckInvocation = Invocation<Record<never, never>, readonly [typeof fileArgument]>;

export const check = command({
  name: "check",
  prints: "MappingCheck",
  summary: "check a mapping, and with a service named also what is found there",
  remote: "reads",
  output: "list",
  quietPrints: "keys of mistakes, or what differs",
  arguments: [fileArgument],
  options: {},
  examples: ["claims mapping check mapping.json", "claims mapping check mapping.json --profile trial"],
  run: async (context, call) => (await import("./run.ts")).runCheck(context, call),
});
