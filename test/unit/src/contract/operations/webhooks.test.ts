import { expect, it } from "vitest";
import { deliveries } from "../../../../../src/contract/operations/webhooks.ts";
import { parseDuration } from "../../../../../src/domain/duration.ts";
import { RETRY_SCHEDULES } from "../../../../../src/domain/webhooks/retry-schedule.ts";

it("webhook behaviour that the interface does not document includes the retry schedules of the sandbox", () => {
  const rule = deliveries.behaviours.find(({ rule }) => rule.startsWith("A failed attempt"))?.rule ?? "";
  const delays = [...rule.matchAll(/\d+ [smh]\b/g)].map(([text]) => parseDuration(text.replace(" ", "")));
  expect(delays).toEqual([...RETRY_SCHEDULES.standard.slice(1), ...RETRY_SCHEDULES.fast.slice(1)]);
});
