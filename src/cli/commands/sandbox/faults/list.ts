import type { FaultRule } from "../../../../../sandbox/index.ts";
import { command } from "../../../framework/command.ts";
import { toListOutput } from "../../../output/output.ts";
import { readControlList, requireControl } from "../../../sandbox-control/control.ts";
import { sandboxNameOption } from "../options.ts";
import { describeMatch } from "./describe-rule.ts";

/** Fault rules, in the order in which they are asked. */
export const listRules = (rules: readonly FaultRule[]) =>
  toListOutput<FaultRule>({
    items: rules,
    columns: [
      { name: "id", align: "right", isId: true },
      { name: "preset" },
      { name: "words", title: "what happens", canWrap: true },
      { name: "requests", title: "to", canWrap: true, value: describeMatch },
      { name: "matched", align: "right" },
      { name: "applied", align: "right" },
    ],
    idOf: ({ id }) => String(id),
    emptyMessage: "nothing is told to fail",
  });

export const faultsList = command({
  name: "faults list",
  summary: "list what a sandbox was told to let fail, with how often each rule matched and was applied",
  remote: false,
  output: "list",
  options: sandboxNameOption,
  examples: ["claims sandbox faults list", "claims sandbox faults list --json | jq '.[0].applied'"],
  async run(context, { options }) {
    const control = await requireControl(context, options.name);
    const rules = await readControlList<FaultRule>(context, control, "GET", "/faults");
    return listRules(rules);
  },
});
