import type { FaultRule } from "../../../../../sandbox/index.ts";
import { toListOutput } from "../../../output/output.ts";
import { controlCommand } from "../../../sandbox-control/control-command.ts";

export const listRules = (rules: readonly FaultRule[]) =>
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

/** Names the requests that a rule matches, and how many of them it applies to. */
export function describeMatch({ match, skip, times, probability }: FaultRule): string {
  const { operation, method, path, header = {}, nth } = match;
  const target = [method, operation, path].filter(Boolean).join(" ") || "any request";
  const headers = Object.entries(header).map(([name, value]) =>
    value === true ? `with ${name}` : `with ${name}: ${value}`,
  );
  const limits = [
    nth !== undefined && `only number ${nth}`,
    skip > 0 && `not the first ${skip}`,
    times !== null && (times === 1 ? "once" : `${times} times`),
    probability < 1 && `with probability ${probability}`,
  ].filter(Boolean);
  return [[target, ...headers].join(" "), ...limits].join(", ");
}

export const faultsList = controlCommand({
  name: "faults list",
  prints: "FaultRules",
  summary: "list the fault rules of a sandbox, with how often each one matched and was applied",
  output: "list",
  examples: ["claims sandbox faults list", "claims sandbox faults list --json | jq '.[0].applied'"],
  run: async (control) => listRules(await control.list("GET /faults")),
});
