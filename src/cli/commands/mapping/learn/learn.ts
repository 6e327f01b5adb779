import { usageError } from "../../../../domain/errors.ts";
import { command, type Invocation } from "../../../framework/command.ts";
import type { OptionSpecs } from "../../../framework/options.ts";
import { writeOptions } from "../../../write-log/write-options.ts";
import { parseSellerName, submissionOptions } from "../../diligence/options.ts";

/** A line as `KEY=VALUE`, in the form of those that the command prints. */
function parseKeyAndValue(text: string): readonly [key: string, value: string] {
  const at = text.indexOf("=");
  if (at > 0) return [text.slice(0, at), text.slice(at + 1)];
  throw usageError("option_invalid", `"${text}" is not KEY=VALUE`, {
    hint: "write a line as --set clients=answer.importers; `claims help mapping` lists the keys",
  });
}

const learnOptions = {
  submit: {
    value: "file",
    repeats: true,
    help: "submit a CSV file of entries, and learn from its job; a second one that ends partial shows more words",
  },
  sellerName: { value: "name", parse: parseSellerName, help: "with --submit: name of the seller" },
  ...submissionOptions("skip"),
  response: {
    value: "file",
    repeats: true,
    help: "learn from a saved response to a submission: its body, or all of it as `curl -i` prints it",
  },
  set: {
    value: "line",
    parse: parseKeyAndValue,
    repeats: true,
    help: "a line of the mapping, KEY=VALUE; may repeat",
  },
  ...writeOptions,
  yes: { help: "read production; --submit also needs --environment production" },
} as const satisfies OptionSpecs;

export type LearnInvocation = Invocation<typeof learnOptions, readonly []>;

export const learn = command({
  name: "learn",
  prints: "Mapping",
  summary: "learn where a service that differs keeps things, and ask about what cannot be proved",
  remote: "writes",
  waitsForJob: true,
  output: "document",
  options: learnOptions,
  examples: [
    "claims mapping learn --submit entries.csv --seller-name Acme --out mapping.json",
    "claims mapping learn --response saved.response --out mapping.json",
    "claims mapping learn --set clients=answer.importers --out mapping.json",
  ],
  run: async (context, call) => (await import("./run.ts")).runLearn(context, call),
});
