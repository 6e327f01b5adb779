import { getEventListeners } from "node:events";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { linkSignals } from "../../../../../src/client/http/link-signals.ts";
import { pollUntilEnded, readJobProgress } from "../../../../../src/client/wait.ts";
import { WebhookSender } from "../../../../../src/client/webhook-sender.ts";
import { createFastRuntime } from "../../../../support/client.ts";
import { sendJson, startScriptedService } from "../../../../support/scripted-service.ts";

describe("linkSignals", () => {
  it("aborts with the reason of the source that aborts first", () => {
    const sources = [new AbortController(), new AbortController()] as const;
    const { signal } = linkSignals(sources[0].signal, sources[1].signal);
    expect(signal.aborted).toBe(false);
    sources[1].abort("late");
    sources[0].abort("later");
    expect([signal.aborted, signal.reason]).toEqual([true, "late"]);
  });

  it("is aborted from the start when a source is already aborted", () => {
    const { signal } = linkSignals(new AbortController().signal, AbortSignal.abort("before"));
    expect([signal.aborted, signal.reason]).toEqual([true, "before"]);
  });

  it("does not abort after unlink(), which removes its listeners", () => {
    const source = new AbortController();
    const { signal, unlink } = linkSignals(source.signal);
    unlink();
    expect(getEventListeners(source.signal, "abort")).toEqual([]);
    source.abort();
    expect(signal.aborted).toBe(false);
  });
});

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
