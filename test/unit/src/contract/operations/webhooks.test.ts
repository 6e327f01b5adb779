import { describe, expect, it } from "vitest";
import { listAssumptions } from "../../../../../src/contract/assumptions.ts";
import { deliveries } from "../../../../../src/contract/operations/webhooks.ts";
import { parseDuration } from "../../../../../src/domain/duration.ts";
import { RETRY_SCHEDULES } from "../../../../../src/domain/webhooks/retry-schedule.ts";

describe("webhook behaviour that the interface does not document", () => {
  it.each([
    "§3: the service statuses: active, disabled, revoked. Transitions: not shown.",
    "§3: Delivery statuses: queued, delivered, retrying, failed. Transitions: not shown.",
    "§4: Query parameters and paging of the two list routes: not shown.",
    "§4: Fields of the signed preview: not shown.",
    "§6: whether names outside the published four are accepted: not shown.",
    "§6: Payload body shape and timestamp format: not shown.",
    "§6: Retry schedule and attempt limit: not shown.",
    "§7: Error status codes, error codes and error body shape, including the failure behavior for bad credentials: not shown.",
    "§8: Rate limits, upload size limits, page sizes and retry counts: not shown.",
  ])("has the label assumed: %s", (gap) => {
    const assumptions = listAssumptions().filter(({ operation }) => operation.startsWith("webhooks."));
    expect(assumptions.map(({ source }) => source)).toContain(gap);
  });

  it("includes the retry schedules of the sandbox", () => {
    const rule = deliveries.behaviours.find(({ rule }) => rule.startsWith("A failed attempt"))?.rule ?? "";
    const delays = [...rule.matchAll(/\d+ [smh]\b/g)].map(([text]) => parseDuration(text.replace(" ", "")));
    expect(delays).toEqual([...RETRY_SCHEDULES.standard.slice(1), ...RETRY_SCHEDULES.fast.slice(1)]);
  });
});
