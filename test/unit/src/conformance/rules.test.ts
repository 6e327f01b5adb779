import { describe, expect, it } from "vitest";
import { RECEIVER_RULES } from "../../../../src/conformance/receiver/rules.ts";
import { listUncoveredStatements } from "../../../../src/conformance/report.ts";
import { RULES } from "../../../../src/conformance/rules.ts";
import { SCENARIOS } from "../../../../src/conformance/scenarios.ts";
import { STATEMENTS } from "../../../../src/contract/register.ts";

describe("the rules of conformance", () => {
  it("have unique ids of a group and a name", () => {
    const ids = RULES.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.filter((id) => !/^[a-z]+\.[A-Za-z_]+$/.test(id))).toEqual([]);
  });

  it("rest on a statement that has their basis", () => {
    const stated = { ...STATEMENTS.contract, ...STATEMENTS.client };
    const wrong = RULES.filter(({ basis, statement }) => {
      if (basis === "advice") return false;
      if (statement === null) return basis === "documented";
      return basis === "documented"
        ? !Object.hasOwn(stated, statement)
        : Object.hasOwn(STATEMENTS.client, statement);
    });
    expect(wrong.map(({ id }) => id)).toEqual([]);
  });

  it("need every scenario", () => {
    const needed = new Set(RULES.flatMap(({ scenarios }) => (scenarios === "any" ? [] : scenarios)));
    expect(Object.keys(SCENARIOS).filter((id) => !needed.has(id as keyof typeof SCENARIOS))).toEqual([]);
  });

  it("leave these statements uncovered: they are about the service, or show in no traffic", () => {
    expect(listUncoveredStatements([...RULES, ...RECEIVER_RULES]).map(({ id }) => id)).toMatchInlineSnapshot(`
      [
        "environments",
        "job.results",
        "rf8Review",
        "endpoint.id",
        "endpoint.label",
        "endpoint.url",
        "endpoint.subscribedEvents",
        "endpoint.secretPrefix",
        "endpoint.status",
        "endpoint.signingSecret",
        "delivery.status",
        "delivery.attemptCount",
        "delivery.lastResponseStatus",
        "delivery.lastError",
        "delivery.lastAttemptAt",
        "delivery.nextAttemptAt",
        "delivery.deliveredAt",
        "job.id",
        "delivery.retries",
        "job.states",
        "webhooks.endpoints",
        "webhooks.deliveries",
        "deliveries.filter",
        "webhooks.test",
        "token",
        "diligence.status",
        "diligence.report",
        "diligence.dataset",
        "legacy",
        "clients.list",
        "contract.live",
        "alias.map",
        "alias.verbs",
        "alias.delta",
        "alias.headers",
        "oauth.tokens",
        "event.types",
        "event.header",
        "event.timestamp",
        "event.signature",
        "successes",
        "canonical",
        "contract.hash",
        "base.url",
        "events.scope",
        "canonical.first",
      ]
    `);
  });
});
