import { describe, expect, it } from "vitest";
import { GREASE_DIMENSIONS } from "../../../../../src/contract/grease.ts";
import { listDeviations } from "../../../../../src/contract/observed/deviations.ts";
import { createLearner } from "../../../../../src/contract/observed/learner.ts";
import { getContract } from "../../../../../src/contract/openapi.ts";
import { sandboxForTest } from "../../../../support/sandbox.ts";
import { callEverything } from "../../../../support/service-script.ts";

const START = { frozenAt: "2026-11-20T00:00:00Z", seed: 3 };
const ours = JSON.parse(getContract().canonicalJson);

async function findDeviations(options: object, ids?: Record<string, string>) {
  const sandbox = await sandboxForTest({ ...START, ...options });
  const called = await callEverything(sandbox, ids);
  const learner = createLearner();
  for (const exchange of called.exchanges) learner.add(exchange);
  const service = learner.finish(getContract().hash);
  const found = listDeviations(service, ours);
  return {
    ids: called.ids,
    deviations: found.map((each) => `${each.operation} ${each.location}: ${each.message}`),
  };
}

describe("listDeviations", () => {
  it("finds none of a sandbox from its own contract, and those of one that varies everything", async () => {
    const { ids, deviations } = await findDeviations({});
    expect(deviations).toEqual([]);
    const varied = await findDeviations({ grease: GREASE_DIMENSIONS }, ids);
    expect(varied.deviations).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^GET \/v1\/clients response (items|results): is gone$/),
        expect.stringMatching(/^POST \/v1\/clients status: success is 201, was 200$/),
      ]),
    );
    expect(varied.deviations.join("\n")).not.toMatch(/OPTIONS|\/broker\/|request/);
  });
});
