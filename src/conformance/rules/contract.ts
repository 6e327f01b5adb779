import { fail, PASS, UNTOUCHED, untouched } from "../judge.ts";
import { documented, type Rule } from "../rule.ts";
import { contractHashOf, isOperation, isWrite, listContractReads } from "../traffic.ts";

export const CONTRACT_RULES: readonly Rule[] = [
  /** A program that does not read the contract may be validated elsewhere, as by a step of its deployment. */
  {
    id: "contract.cutover",
    ...documented("contract.hash"),
    title: "writes nothing after it reads a contract with another hash than in its run before",
    fix: "keep the hash of the contract with the deployment, compare it before the first write, and stop if it differs",
    scenarios: ["contract.cutover"],
    judge(trial) {
      const [first, second] = trial.runs;
      if (trial.scenario !== "contract.cutover" || !second) return UNTOUCHED;
      const [before, after] = [first, second].map((each) => listContractReads(each?.requests ?? []));
      const known = new Set(before?.map(contractHashOf));
      const changed = after?.find((request) => !known.has(contractHashOf(request)));
      if (known.size === 0 || !changed)
        return untouched("the program does not read the contract in both of its runs");
      if (second.endedBy !== "itself") return UNTOUCHED;
      const writes = second.requests.filter(
        (request) =>
          request.number > changed.number && isWrite(request) && !isOperation(request, "oauth.token"),
      );
      if (second.exitCode !== 0)
        return writes.length === 0
          ? PASS
          : untouched("the program writes, and fails for a reason not seen here");
      if (writes.length === 0) return untouched("the second run writes nothing after it reads the contract");
      return fail("the second run reads another contract than the first, writes, and exits 0", [
        ...(before ?? []),
        changed,
        ...writes,
      ]);
    },
  },
];
