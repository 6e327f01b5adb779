import * as Type from "typebox";
import { closedObject, count, nullable, type ReadonlyStatic } from "../contract/schemas.ts";
import { each } from "../domain/each.ts";

// What `claims conformance` and `claims webhooks probe` report.

const words = (description: string) => Type.Array(Type.String(), { description });

/** A request as a report shows it, equal from run to run. */
const request = closedObject({
  number: count(),
  ...each(Type.String, "method", "target"),
  status: nullable(Type.Integer()),
  outcome: Type.Enum(["answered", "aborted", "lost", "running"]),
  fault: nullable(Type.String()),
  idempotencyKey: nullable(Type.String({ description: "as in `key 1`, equal for equal keys" })),
});

const subject = closedObject({
  mode: Type.Enum(["scenarios", "passive", "receiver"]),
  command: words("the words of the program, or the URL of the receiver"),
  seed: nullable(Type.Integer()),
  grease: words("the varied dimensions"),
  version: Type.String(),
});

const scenario = closedObject({
  id: Type.String(),
  requests: count(),
  end: Type.Enum(["results", "failure", "any"]),
  runs: Type.Array(
    closedObject({
      exitCode: nullable(Type.Integer({ description: "null: ended by a signal" })),
      endedBy: Type.Enum(["itself", "scenario", "timeout"]),
    }),
  ),
});

const basis = Type.Enum(["documented", "assumed", "advice"]);

const rule = closedObject({
  id: Type.String(),
  basis,
  title: Type.String({ description: "completes `the program …` or `the receiver …`" }),
  statement: nullable(Type.String({ description: "of the interface, with its section" })),
  verdict: Type.Enum(["pass", "fail", "untouched", "not_run"]),
  ...each(Type.Boolean, "isExpected", "isStale", "isDecisive"),
  findings: Type.Array(
    closedObject({
      scenario: nullable(Type.String()),
      evidence: Type.String(),
      requests: Type.Array(request),
    }),
  ),
  reason: nullable(Type.String({ description: "why it is untouched or not run, if that is known" })),
  ...each(() => nullable(Type.String()), "fix", "repeat"),
});

/** The fields of the report of a program, and of a receiver. */
export const conformanceReport = {
  verdict: Type.Enum(["passes", "fails", "untouched"]),
  missing: words("what --require names and nothing touched"),
  disclaimer: Type.String(),
  subject,
  counts: closedObject(each(count, "pass", "fail", "untouched", "notRun")),
  scenarios: Type.Array(scenario),
  rules: Type.Array(rule),
};

export const conformanceRules = closedObject({
  rules: Type.Array(
    closedObject({
      ...each(Type.String, "id", "title", "fix"),
      basis,
      statement: nullable(Type.String()),
      scenarios: nullable(
        Type.Array(Type.String(), { description: "those that can touch it; null: any traffic" }),
      ),
    }),
  ),
});

export type ConformanceReport = ReadonlyStatic<Type.TObject<typeof conformanceReport>>;
export type ReportSubject = ConformanceReport["subject"];
export type ReportedScenario = ConformanceReport["scenarios"][number];
export type ReportedRule = ConformanceReport["rules"][number];
export type ReportedRequest = ReportedRule["findings"][number]["requests"][number];
