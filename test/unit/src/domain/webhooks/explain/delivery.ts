import { createHmac } from "node:crypto";
import { decompress } from "../../../../../../src/cli/commands/webhooks/input-formats/containers.ts";
import type { ExplainInput } from "../../../../../../src/signature.ts";

export const SECRET = "whsec_bWFkZS11cC1mb3ItdGVzdHMtb25seS0wMDAwMDAwMDE";
/** 2026-11-22T08:08:50Z. As in the sandbox, the first attempt is signed in the second of `createdAt`. */
export const TIMESTAMP = "1795334930";
export const BODY =
  '{"id":"3f0c9a","type":"partner.test","environment":"sandbox","createdAt":"2026-11-22T08:08:50.120Z","data":{"note":"caf\u00e9 & <b> a/b + 100%","amount":1.0,"list":[],"nested":{"n":[1,2.50]}}}';

/** A delivery that verifies, unless a fault changes it. */
export interface Delivery {
  readonly secret: string;
  readonly timestamp: string | null;
  readonly signature: string | null;
  readonly body: Buffer;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly more: Partial<ExplainInput>;
}

export interface Sender {
  readonly key?: string | Buffer;
  readonly timestamp?: string;
  readonly body?: string | Buffer;
  readonly base?: (timestamp: string, body: Buffer) => string | Buffer;
  readonly algorithm?: string;
  readonly encode?: (digest: Buffer) => string;
}

/** The signature header of a sender that differs from interface §6 in these points. */
export function signAs({
  key = SECRET,
  timestamp = TIMESTAMP,
  body = BODY,
  base = (time, bytes) => Buffer.concat([Buffer.from(`${time}.`), bytes]),
  algorithm = "sha256",
  encode = (digest) => digest.toString("hex"),
}: Sender = {}): string {
  return encode(
    createHmac(algorithm, key)
      .update(base(timestamp, Buffer.from(body)))
      .digest(),
  );
}

export const GENUINE: Delivery = {
  secret: SECRET,
  timestamp: TIMESTAMP,
  signature: signAs(),
  body: Buffer.from(BODY),
  headers: [],
  more: {},
};

export function toInput({ secret, timestamp, signature, body, headers, more }: Delivery): ExplainInput {
  return {
    secrets: [secret],
    headers: [
      ...(timestamp === null ? [] : [["X-Service-Timestamp", timestamp] as const]),
      ...(signature === null ? [] : [["X-Service-Signature", signature] as const]),
      ...headers,
    ],
    body,
    decompress,
    ...more,
  };
}

export interface Fault {
  readonly name: string;
  readonly delivery: Delivery;
  /** All causes that are named, as `id certainty`. */
  readonly causes: readonly string[];
}

/** What a delivery has in place of a genuine one, and the causes that the explanation names for it. */
export const fault = (
  name: string,
  causes: string | readonly string[],
  change: Partial<Omit<Delivery, "body">> & { readonly body?: string | Buffer },
): Fault => ({
  name,
  causes: typeof causes === "string" ? (causes === "" ? [] : [causes]) : causes,
  delivery: { ...GENUINE, ...change, body: Buffer.from(change.body ?? BODY) },
});

/** The receiver has the body in another form. */
export const received = (
  id: string,
  name: string,
  body: string | Buffer,
  more: Partial<Delivery> = {},
): Fault => fault(name, `body.${id} proved`, { ...more, body });
/** The sender signed the body in another form. */
export const signed = (id: string, name: string, body: string | Buffer): Fault =>
  fault(name, `body.${id} proved`, { signature: signAs({ body }) });
