import { command } from "../../framework/command.ts";

export const examples = command({
  name: "examples",
  prints: "Examples",
  summary: "list and write files that work: nightly jobs, CI, receivers of webhooks, test suites",
  output: "list",
  quietPrints: "names",
  arguments: [
    { name: "example", help: "the example, or one of its files, to print or write", isOptional: true },
  ],
  options: {
    out: { value: "dir", help: "write the files into this folder; a file that differs is not replaced" },
  },
  examples: ["claims examples", "claims examples koa", "claims examples nightly --out ."],
  run: async (context, call) => (await import("./run.ts")).runExamples(context, call),
});
