import { type AnyCommand, command } from "../../framework/command.ts";
import { conformanceOptions } from "./options.ts";

const conformance = command({
  name: "conformance",
  summary: "grade a program against the interface: what is documented, assumed, and good practice",
  output: "record",
  quietPrints: "the verdict",
  arguments: [
    {
      name: "program",
      help: "its command line, after --; it runs in each scenario",
      isVariadic: true,
      isOptional: true,
      isPassThrough: true,
    },
  ],
  options: conformanceOptions,
  examples: [
    "claims conformance -- ./nightly.sh",
    "claims conformance --only submit --seed 7 -- ./nightly.sh",
    "claims conformance --passive -- npm test",
    "claims conformance --requests --sandbox-name ci",
    "claims conformance --require submit --require results --fail-on assumed -- ./nightly.sh",
    "claims conformance --report conformance.xml --report summary.md -- ./nightly.sh",
  ],
  run: async (context, call) => (await import("./run.ts")).runConformance(context, call),
});

const list = command({
  name: "conformance list",
  summary: "list the rules, with the sentence of the interface that each rests on",
  output: "document",
  options: { uncovered: { help: "list the statements of the interface that no rule covers, too" } },
  examples: ["claims conformance list", "claims conformance list --uncovered --json | jq '.uncovered'"],
  run: async (_, { options }) => (await import("./list.ts")).listRules(options),
});

/** Every command loads them, so they load the rules and the runner themselves. */
export const conformanceCommands: readonly AnyCommand[] = [conformance, list];
