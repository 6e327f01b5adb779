import type { FaultEffect, FaultRule } from "../../../../sandbox/index.ts";
import type { ControlBody } from "../../../contract/control.ts";
import { FAULT_PRESETS } from "../../../contract/fault-presets.ts";
import { type ClaimsError, rephraseError, usageError } from "../../../domain/errors.ts";
import { handleFailure } from "../../framework/handle-failure.ts";
import { formatLongFlag } from "../../framework/options.ts";
import { parseDurationFlag, parseInteger } from "../../framework/values.ts";
import { toCardOutput, toListOutput } from "../../output/output.ts";
import { defineControlCommand } from "../../sandbox-control/control-command.ts";

const listRules = (rules: readonly FaultRule[]) =>
  toListOutput({
    items: rules,
    columns: [
      { name: "id", align: "right", isId: true },
      { name: "preset" },
      { name: "description", title: "effect", canWrap: true },
      { name: "requests", canWrap: true, value: describeMatch },
      { name: "matched", align: "right" },
      { name: "applied", align: "right" },
    ],
    emptyMessage: "no fault rule",
  });

function describeMatch({ match, skip, times, probability }: FaultRule): string {
  const { operation, method } = match;
  const target = [method, operation].filter(Boolean).join(" ") || "any request";
  const limits = [
    skip > 0 && `not the first ${skip}`,
    times !== null && (times === 1 ? "once" : `${times} times`),
    probability < 1 && `with probability ${probability}`,
  ].filter(Boolean);
  return [target, ...limits].join(", ");
}

const faultsList = defineControlCommand({
  name: "faults list",
  prints: "GET /faults",
  summary: "list the fault rules of a sandbox, with how often each one matched and was applied",
  output: "list",
  examples: ["claims sandbox faults list", "claims sandbox faults list --json | jq '.[0].applied'"],
  run: async (_context, _invocation, control) => listRules(await control.list("GET /faults")),
});

const MAX_COUNT = 1_000_000_000;

const integerOption = (what: string, min: number, max = MAX_COUNT) => ({
  value: "n",
  parse: (text: string) => parseInteger(text, { what, min, max }),
});

/** What a rule does to a request, each with its flag. */
const EFFECT_OPTIONS = {
  status: { ...integerOption("an HTTP error", 400, 599), help: "respond with this status, 400 to 599" },
  retryAfter: { ...integerOption("a number of seconds", 0), help: "with --status: send Retry-After" },
  delay: {
    value: "duration",
    parse: (text: string) => `${parseDurationFlag(text)}ms`,
    help: "delay the work, or with --phase after its response",
  },
  reset: { help: "reset the connection" },
  hang: { help: "never respond" },
  truncate: { help: "send half the body and close the connection" },
} satisfies Record<keyof FaultEffect, unknown>;

const faultsAdd = defineControlCommand({
  name: "faults add",
  prints: "POST /faults",
  summary: "make requests to a sandbox fail, by a preset or by options",
  output: "record",
  arguments: [
    {
      name: "preset",
      help: Object.entries(FAULT_PRESETS)
        .map(([name, { summary }]) => `${name}: ${summary}`)
        .join("; "),
      isOptional: true,
    },
  ],
  options: {
    operation: { value: "operation", help: "match this operation, as in diligence.submit" },
    method: { value: "method", parse: (text) => text.toUpperCase(), help: "match this method" },
    phase: {
      value: "phase",
      choices: ["before", "after"],
      help: "fail before the work, or do the work and lose or change its response",
      default: "before, or after with --truncate alone",
    },
    times: { ...integerOption("a number of times", 1), help: "apply this often at most" },
    skip: { ...integerOption("a number of requests", 0), help: "let this many matching requests pass first" },
    probability: {
      value: "p",
      parse: parseProbability,
      help: "apply with this probability, 0 to 1",
      default: "1",
    },
    ...EFFECT_OPTIONS,
  },
  examples: [
    "claims sandbox faults add ghost-commit --operation diligence.submit",
    "claims sandbox faults add flaky --probability 0.5",
    "claims sandbox faults add --operation diligence.status --times 2 --status 503 --retry-after 1",
  ],
  async run(_context, { args: { preset }, options }, control) {
    const { operation, method, phase, times, skip, probability } = options;
    const effects = Object.keys(EFFECT_OPTIONS) as (keyof FaultEffect)[];
    const then = Object.fromEntries(effects.map((name) => [name, options[name]]));
    const match = { operation, method };
    if (preset === undefined && isEmpty(then))
      throw usageError("option_conflict", "no effect given", {
        hint: `name a preset (${Object.keys(FAULT_PRESETS).join(", ")}), or give one of ${effects.map((name) => formatLongFlag(name)).join(", ")}`,
      });
    // The given fields override those of the preset.
    const rule = { preset, phase, times, skip, probability, ...(isEmpty(match) ? {} : { match }) };
    const body = isEmpty(then) ? rule : { ...rule, then };
    const input = { body: body as ControlBody<"POST /faults"> };
    const added = await handleFailure(control.send("POST /faults", "description", input), (error) => {
      throw nameFlags(error);
    });
    const advice = `\`claims sandbox faults clear ${added.id}\` deletes the rule.`;
    const fields = { rule: added.id, effect: added.description, requests: describeMatch(added) };
    return toCardOutput("fault", { id: String(added.id), record: added, fields, advice });
  },
});

const isEmpty = (fields: object): boolean => Object.values(fields).every((value) => value === undefined);

function parseProbability(text: string): number {
  const probability = /^(\d+(\.\d+)?|\.\d+)$/.test(text) ? Number(text) : Number.NaN;
  if (probability >= 0 && probability <= 1) return probability;
  throw usageError("option_invalid", `"${text}" is not a probability`, {
    hint: "write a number from 0 to 1, such as 0.2",
  });
}

/** Replaces the fields in an error of the control API by flags: `then.retryAfter` is `--retry-after`. */
function nameFlags(error: ClaimsError): ClaimsError {
  const toFlags = (text: string) =>
    text
      .replace(/\b(?:match|then)\.(\w+)/g, (_, name: string) => formatLongFlag(name))
      .replace(/\bphase\b/g, "--phase");
  return rephraseError(error, { message: toFlags(error.message), hint: toFlags(error.hint) });
}

const faultsClear = defineControlCommand({
  name: "faults clear",
  prints: "DELETE /faults",
  summary: "delete a fault rule of a sandbox, or all of them, and list the remaining ones",
  output: "list",
  arguments: [{ name: "fault", help: "the number of a rule", default: "all rules", isOptional: true }],
  examples: ["claims sandbox faults clear", "claims sandbox faults clear 3"],
  run: async (_context, { args: { fault: id } }, control) =>
    listRules(
      id === undefined
        ? await control.list("DELETE /faults")
        : await control.list("DELETE /faults/{id}", { params: { id } }),
    ),
});

export const faultsCommands = [faultsAdd, faultsList, faultsClear];
