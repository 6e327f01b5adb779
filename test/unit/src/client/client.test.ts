import { expect, it } from "vitest";
import { Client } from "../../../../src/client/client.ts";
import type { ClientOptions } from "../../../../src/client/client-options.ts";
import { createFastRuntime, KEY } from "../../../support/client.ts";

const OPTIONS = {
  baseUrl: "http://127.0.0.1:1",
  credential: { kind: "api_key", key: KEY },
  runtime: createFastRuntime().runtime,
  userAgent: "test",
} as const;

// Callers without types: an unset variable, a plain key, another name of the kind.
it.each<[unknown, string]>([
  [undefined, "baseUrl of the client is not text"],
  [{}, "baseUrl of the client is not text"],
  [{ ...OPTIONS, baseUrl: new URL(OPTIONS.baseUrl) }, "baseUrl of the client is not text"],
  [{ ...OPTIONS, runtime: undefined }, "runtime of the client is not an object"],
])("a client refuses the options %o", (options, message) => {
  const error = expect.objectContaining({ kind: "usage", code: "validation_failed", message });
  expect(() => new Client(options as ClientOptions)).toThrow(error);
});

it.each([
  undefined,
  KEY,
  {},
  { kind: "apiKey", key: KEY },
  { kind: "api_key", key: undefined },
  { kind: "oauth_client", clientId: "a", clientSecret: undefined },
  { kind: "oauth_client", clientId: undefined, clientSecret: KEY },
])("a client refuses the credential %o", (credential) => {
  const message = "credential of the client is not a credential";
  const error = expect.objectContaining({ kind: "usage", code: "validation_failed", message });
  expect(() => new Client({ ...OPTIONS, credential } as ClientOptions)).toThrow(error);
});

it("a client takes no credential, and each kind of one", async () => {
  const oauth = { kind: "oauth_client", clientId: "a", clientSecret: "b" } as const;
  for (const credential of [null, OPTIONS.credential, oauth])
    await new Client({ ...OPTIONS, credential }).close();
});
