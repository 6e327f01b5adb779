import { expect, it } from "vitest";
import { startSandbox } from "../../../../../sandbox/index.ts";
import { isSeededSecret } from "../../../../../src/cli/connection/credential-scope.ts";

it("isSeededSecret recognizes the secrets of the default seed, and of no other seed", async () => {
  const secretsOf = async (options: Parameters<typeof startSandbox>[0]) => {
    await using sandbox = await startSandbox(options);
    const { sandbox: own, production, otherPartner, unapproved } = sandbox.credentials;
    return [own.apiKey, own.clientSecret, production.apiKey, otherPartner.apiKey, unapproved.clientSecret];
  };
  expect((await secretsOf({})).map(isSeededSecret)).toEqual(Array(5).fill(true));
  expect((await secretsOf({ seed: 7 })).map(isSeededSecret)).toEqual(Array(5).fill(false));
});
