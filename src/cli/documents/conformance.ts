import * as Type from "typebox";
import { closedObject, count, nullable } from "../../contract/schemas.ts";
import { each } from "../../domain/each.ts";
import { listOf, oneOf } from "./shapes.ts";

const basis = oneOf("documented", "assumed", "advice");

const verdict = oneOf("pass", "fail", "untouched", "not_run");

const words = (description: string) => Type.Array(Type.String(), { description });

const request = {
  number: count(),
  ...each(Type.String, "method", "target"),
  status: nullable(Type.Integer()),
  outcome: oneOf("answered", "aborted", "lost", "running"),
  fault: nullable(Type.String()),
  idempotencyKey: nullable(Type.String({ description: "as in `key 1`, equal for equal keys" })),
};

/** The fields of the report of a program, and of a receiver. */
export const conformanceReport = {
  verdict: oneOf("passes", "fails", "untouched"),
  missing: words("what --require names and nothing touched"),
  disclaimer: Type.String(),
  subject: closedObject({
    mode: oneOf("scenarios", "passive", "receiver"),
    command: words("the words of the program, or the URL of the receiver"),
    seed: nullable(Type.Integer()),
    grease: words("the varied dimensions"),
    version: Type.String(),
  }),
  counts: closedObject(each(count, "pass", "fail", "untouched", "notRun")),
  scenarios: listOf({
    id: Type.String(),
    requests: count(),
    end: oneOf("results", "failure", "any"),
    runs: listOf({
      exitCode: nullable(Type.Integer({ description: "null: ended by a signal" })),
      endedBy: oneOf("itself", "scenario", "timeout"),
    }),
  }),
  rules: listOf({
    id: Type.String(),
    basis,
    title: Type.String({ description: "completes `the program …` or `the receiver …`" }),
    statement: nullable(Type.String({ description: "of the interface, with its section" })),
    verdict,
    ...each(Type.Boolean, "isExpected", "isStale", "isDecisive"),
    findings: listOf({
      scenario: nullable(Type.String()),
      evidence: Type.String(),
      requests: listOf(request),
    }),
    reason: nullable(Type.String({ description: "why it is untouched or not run, if that is known" })),
    ...each(() => nullable(Type.String()), "fix", "repeat"),
  }),
};

export const CONFORMANCE_DOCUMENTS = {
  ConformanceReport: closedObject(conformanceReport),
  ConformanceRules: closedObject({
    rules: listOf({
      ...each(Type.String, "id", "title", "fix"),
      basis,
      statement: nullable(Type.String()),
      scenarios: nullable(
        Type.Array(Type.String(), { description: "those that can touch it; null: any traffic" }),
      ),
    }),
  }),
};
