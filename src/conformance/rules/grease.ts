import {
  describeDimension,
  GREASE_DIMENSIONS,
  type GreaseDimension,
  openStatementOf,
} from "../../contract/grease.ts";
import { fail, PASS, UNTOUCHED } from "../judge.ts";
import { assumed, type Judgement, type Rule } from "../rule.ts";
import type { Trial } from "../trial.ts";

const listVaried = ({ requests }: Trial): Set<string> =>
  new Set(requests.flatMap(({ varied }) => varied.map((each) => each.replace(/=.*$/s, ""))));

/** In the scenario in which everything else works. */
function judgeDimension(name: GreaseDimension, trial: Trial): Judgement {
  const varied = listVaried(trial);
  const [run] = trial.runs;
  if (trial.scenario !== "submit.ordinary" || !varied.has(name) || run?.endedBy !== "itself")
    return UNTOUCHED;
  if (run.exitCode === 0) return PASS;
  const others = [...varied].filter((each) => each !== name);
  const also =
    others.length === 0 ? "" : `, together with ${others.join(", ")}: --grease ${name} varies it alone`;
  const requests = trial.requests.filter((request) =>
    request.varied.some((each) => each.startsWith(`${name}=`)),
  );
  return fail(`the program fails while ${name} varies${also}`, requests.slice(-3));
}

/** The rule of `paging` is list.pages, whose scenario varies it always. */
const OWN_DIMENSIONS = GREASE_DIMENSIONS.filter((name) => name !== "paging");

export const GREASE_RULES: readonly Rule[] = OWN_DIMENSIONS.map(
  (name): Rule => ({
    id: `grease.${name}`,
    ...assumed(openStatementOf(name)),
    title: `does not rely on this: ${describeDimension(name).assumption}`,
    fix: "rely only on what the interface says; claims sandbox exec --grease-each names the assumption",
    grease: name,
    scenarios: ["submit.ordinary"],
    judge: (trial) => judgeDimension(name, trial),
  }),
);
