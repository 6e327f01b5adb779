import Type, { type Static } from "typebox";
import { count, dateTime, nullable, strictObject } from "../schemas.ts";

/** What was seen of a service: facts of form, never values. Nothing needs them in order to run. */
export const evidence = strictObject({
  firstAt: dateTime(),
  lastAt: dateTime(),
  contractHash: Type.String({ description: "the contract that it was compared with" }),
  serviceContractHash: nullable(Type.String({ description: "that of the service's own document" })),
  responses: Type.Array(
    strictObject({
      operation: Type.String(),
      status: Type.Integer(),
      count: count(),
      lastAt: dateTime(),
      requestId: nullable(Type.String({ maxLength: 128 })),
    }),
  ),
  deliveries: Type.Optional(count()),
  /** The lines of the form that learning wrote: a re-run may change them, and no others. */
  learned: Type.Array(Type.String()),
  findings: Type.Array(
    strictObject({
      operation: Type.String(),
      subject: Type.String(),
      seen: Type.String(),
      statement: Type.String({ description: "the sentence of the interface" }),
    }),
  ),
});

export type Evidence = Static<typeof evidence>;
