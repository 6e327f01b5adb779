import { expect, test } from "vitest";
import { startHostedSandbox } from "../../../../sandbox/start.ts";
import { hashContract } from "../../../../src/contract/hash.ts";
import { getContract } from "../../../../src/contract/openapi.ts";
import { call, submitAndSettle } from "../../../support/sandbox-requests.ts";

test("a sandbox publishes another contract while another version is named", async () => {
  let version: string | undefined;
  await using sandbox = await startHostedSandbox({}, { contractVersion: () => version });
  const jobId = await submitAndSettle(sandbox);
  const readHashes = async () => {
    const contract = await call(sandbox, "/v1/docs/openapi");
    const report = await call(sandbox, `/v1/diligence/report/${jobId}`);
    const dataset = await call(sandbox, `/v1/diligence/dataset/${jobId}`);
    return [
      hashContract(contract.body),
      contract.headers.get("etag")?.replaceAll('"', ""),
      report.body.contractVersion,
      dataset.headers.get("contract-version"),
      dataset.body.contractVersion,
    ];
  };

  const original = await readHashes();
  expect(original).toEqual(Array(5).fill(getContract().hash));
  version = "2";
  const changed = await readHashes();
  expect(new Set(changed).size).toBe(1);
  expect(changed[0]).not.toBe(original[0]);
  version = undefined;
  expect(await readHashes()).toEqual(original);
});
