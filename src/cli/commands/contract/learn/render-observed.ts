import type { ObservedService } from "../../../../contract/observed/observed-service.ts";
import { toCard, toTable } from "../../../output/create-blocks.ts";
import type { Output } from "../../../output/output.ts";

/** How many assumptions hold, and those that do not. */
export function renderObserved(service: ObservedService): Output {
  const count = (status: string) => service.assumptions.filter((each) => each.status === status).length;
  const { findings = [] } = service;
  const differing = service.assumptions.filter(({ status }) => status === "differs");
  return {
    kind: "record",
    json: service,
    blocks: [
      toCard(
        "service",
        {
          responses: service.responses.reduce((sum, each) => sum + each.count, 0),
          confirmed: count("confirmed"),
          differs: differing.length,
          unknown: count("unknown"),
          findings: findings.length,
        },
        { title: "What was learned, by assumption" },
      ),
      ...(findings.length > 0
        ? [
            toTable({
              title: "Contradicts the interface",
              columns: [
                { name: "operation" },
                { name: "subject", canWrap: true },
                {
                  name: "seen",
                  value: ({ seen }: (typeof findings)[number]) => seen.join("; "),
                  canWrap: true,
                },
                { name: "statement", canWrap: true },
              ],
              items: findings,
            }),
          ]
        : []),
      ...(differing.length > 0
        ? [
            toTable({
              title: "Differs from what is assumed",
              columns: [
                { name: "operation" },
                { name: "kind" },
                { name: "subject", canWrap: true },
                {
                  name: "seen",
                  value: ({ seen }: (typeof differing)[number]) => seen.join("; "),
                  canWrap: true,
                },
              ],
              items: differing,
            }),
          ]
        : []),
    ],
  };
}
