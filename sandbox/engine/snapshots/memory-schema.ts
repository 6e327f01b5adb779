import Type, { type TSchema } from "typebox";
import { sandboxCredentials, sinkRequest } from "../../../src/contract/control-responses.ts";
import { count, environment } from "../../../src/contract/schemas.ts";
import { MAX_TIME_MS, MIN_TIME_MS } from "../../../src/domain/time-range.ts";
import { digestSecret } from "../../store/credentials.ts";
import type { Memory } from "./snapshot.ts";

const int32 = Type.Integer({ minimum: -(2 ** 31), maximum: 2 ** 31 - 1 });

const MEMORY_SCHEMAS: Readonly<Record<keyof Memory, TSchema>> = {
  url: Type.String({ pattern: /^http:\/\/[\w.:[\]-]+$/.source }),
  instanceId: Type.String({ minLength: 1 }),
  clock: Type.Union([
    Type.Object({ stoppedAt: Type.Integer({ minimum: MIN_TIME_MS, maximum: MAX_TIME_MS }) }),
    Type.Object({
      ahead: Type.Number({ exclusiveMinimum: -MAX_TIME_MS, exclusiveMaximum: MAX_TIME_MS }),
    }),
  ]),
  random: Type.Union([
    Type.Null(),
    Type.Object({
      seed: Type.Integer({ minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER }),
      streams: Type.Record(Type.String(), Type.Tuple([int32, int32, int32, int32])),
    }),
  ]),
  credentials: sandboxCredentials,
  keys: Type.Array(
    Type.Tuple([
      Type.String({ pattern: "^[0-9a-f]{64}$" }),
      Type.Object({
        partner: Type.Union([Type.Literal(1), Type.Literal(2)]),
        environment: environment(),
      }),
    ]),
  ),
  sinks: Type.Object({
    kept: Type.Array(sinkRequest),
    counts: Type.Array(Type.Tuple([Type.String(), count()])),
  }),
};

/** The name of the first invalid part of a memory, or null. The hash of a document does not show who wrote it. */
export async function findInvalidPart(memory: Readonly<Record<string, unknown>>): Promise<string | null> {
  const { Check } = await import("../../wire/schema-errors.ts");
  for (const [name, schema] of Object.entries(MEMORY_SCHEMAS)) if (!Check(schema, memory[name])) return name;
  // An unknown key could be neither used nor rotated.
  const { credentials, keys } = memory as unknown as Memory;
  const digests = new Set(keys.map(([keyDigest]) => keyDigest));
  const { sandbox, production, otherPartner } = credentials;
  const isKnown = [sandbox, production, otherPartner].every(({ apiKey }) =>
    digests.has(digestSecret(apiKey)),
  );
  return isKnown ? null : "keys";
}
