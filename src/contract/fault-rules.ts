import * as Type from "typebox";
import type { OperationId } from "./operations/operations.ts";
import { closedObject, count, nullable, type ReadonlyStatic, textType } from "./schemas.ts";

// The rules by which requests to a sandbox fail. Types, declarations and the reference derive from these schemas; the sandbox
// checks a rule by tables with one row per field, whose messages name the field as the caller wrote it.

export const faultMatch = closedObject(
  {
    operation: Type.Optional(
      Type.Unsafe<OperationId>(
        textType("The id of an operation, as in `diligence.submit`, on any of its paths"),
      ),
    ),
    method: Type.Optional(Type.String()),
  },
  { description: "Conditions for a request; one that is left out always holds" },
);

export const FAULT_PHASES = ["before", "after"] as const;

const faultPhase = (more = "") =>
  Type.Enum([...FAULT_PHASES], {
    description: `\`before\`: the request is not executed. \`after\`: it is executed, and its response is lost or changed.${more}`,
  });

export const faultEffect = closedObject(
  {
    status: Type.Optional(Type.Integer({ description: "400 to 599, instead of the response" })),
    retryAfter: Type.Optional(Type.Integer({ description: "With `status`: seconds" })),
    delay: Type.Optional(textType("A duration of real time, as in `2s`, at most ten minutes")),
    reset: Type.Optional(Type.Boolean({ description: "Resets the connection" })),
    hang: Type.Optional(
      Type.Boolean({ description: "No response, until the caller or the sandbox ends the connection" }),
    ),
    truncate: Type.Optional(
      Type.Boolean({
        description:
          "Sends half of the body (of a stream, half of its first 64 KiB), then ends the connection",
      }),
    ),
  },
  {
    description:
      "At most one of `status`, `reset` and `hang`. `truncate` applies to a `status` or the real response. `delay` combines with everything except `hang`.",
  },
);

export const faultSpec = closedObject({
  match: Type.Optional(faultMatch),
  phase: Type.Optional(faultPhase(" Default `before`; `after` for an effect on the real response.")),
  times: Type.Optional(Type.Integer({ description: "Maximum number of uses. Default: unlimited" })),
  skip: Type.Optional(Type.Integer({ description: "Lets the first matching requests through. Default 0" })),
  probability: Type.Optional(
    Type.Number({ description: "0 to 1, drawn from the seed for each matching request. Default 1" }),
  ),
  then: faultEffect,
});

export const faultRule = closedObject({
  id: count("Counted from 1"),
  preset: nullable(Type.String()),
  match: faultMatch,
  phase: faultPhase(),
  times: nullable(count("null: unlimited")),
  skip: count(),
  probability: Type.Number(),
  then: faultEffect,
  description: textType("The effect in words"),
  matched: count("Matching requests"),
  applied: count("Those of them that the rule was applied to"),
});

export type FaultMatch = ReadonlyStatic<typeof faultMatch>;
export type FaultEffect = ReadonlyStatic<typeof faultEffect>;
export type FaultSpec = ReadonlyStatic<typeof faultSpec>;
export type FaultRule = ReadonlyStatic<typeof faultRule>;
export type FaultPhase = FaultRule["phase"];
