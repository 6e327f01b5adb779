import { getEventListeners } from "node:events";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { pollUntilEnded, readJobProgress } from "../../../../../src/client/wait.ts";
import { WebhookSender } from "../../../../../src/client/webhook-sender.ts";
import { createFastRuntime } from "../../../../support/client.ts";
import { sendJson, startScriptedService } from "../../../../support/scripted-service.ts";

/** Records the sources of AbortSignal.any; Node keeps a reference to every result at each source. */
function recordSourcesOfAny(): AbortSignal[] {
  const sources: AbortSignal[] = [];
  const { any } = AbortSignal;
  const spy = vi.spyOn(AbortSignal, "any").mockImplementation((signals) => {
    const list = [...signals];
    sources.push(...list);
    return any.call(AbortSignal, list);
  });
  onTestFinished(() => spy.mockRestore());
  return sources;
}

describe("a long-lived signal keeps no listener", () => {
  it("after pollUntilEnded", async () => {
    const sources = recordSourcesOfAny();
    const { signal } = new AbortController();
    const states = ["queued", "queued", "processing", "completed"];
    const poll = async () => ({ seen: readJobProgress({ state: states.shift() }) });
    await pollUntilEnded(poll, { runtime: createFastRuntime().runtime, timeoutMs: 60_000, signal });
    expect(states).toEqual([]);
    expect(sources).not.toContain(signal);
    expect(getEventListeners(signal, "abort")).toEqual([]);
  });

  it("after WebhookSender.send", async () => {
    const { signal } = new AbortController();
    const { url } = await startScriptedService((_, response) =>
      sendJson(response, 200, {}, { connection: "close" }),
    );
    const { runtime } = createFastRuntime();
    const sender = new WebhookSender({ url, timeoutMs: 5_000, signal, ...runtime });
    onTestFinished(() => sender.close());
    const sources = recordSourcesOfAny();
    for (let count = 0; count < 5; count += 1) await sender.send([], Buffer.from("x"));
    expect(sources).toEqual([]);
    expect(getEventListeners(signal, "abort")).toEqual([]);
  });
});
