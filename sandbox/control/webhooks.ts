import { Buffer } from "node:buffer";
import { rotateCredential } from "../engine/rotation.ts";
import { webhooksByHand } from "../engine/webhooks/by-hand.ts";
import type { SandboxEvent, SandboxWebhooks, Wish } from "../webhooks.ts";
import { readFields, readObject } from "./body.ts";
import type { ControlCall, ControlRoute } from "./route.ts";

/** Events, endpoints and deliveries of every partner, by hand. What comes in is looked at where it is carried out. */
export const WEBHOOK_ROUTES: readonly ControlRoute[] = [
  {
    method: "POST",
    path: "/emit",
    what: '`{"type", "data", "environment", "endpointId"}`: emits an event',
    answer: async ({ ctx, engine }) =>
      webhooksByHand(engine).emit((await readObject(ctx)) as unknown as SandboxEvent),
  },
  {
    method: "GET",
    path: "/endpoints",
    what: "webhook endpoints of every partner",
    answer: async ({ engine }) => ({ data: await webhooksByHand(engine).endpoints() }),
  },
  {
    method: "POST",
    path: "/endpoints/:id/status",
    what: '`{"status": "disabled"}`, `active` or `revoked`',
    answer: setStatus,
  },
  {
    method: "GET",
    path: "/deliveries/:id",
    what: "a delivery with every attempt",
    answer: ({ engine, params: { id = "" } }) => webhooksByHand(engine).delivery(id),
  },
  { method: "GET", path: "/deliveries/:id/body", what: "the bytes of its body", answer: deliveryBody },
  {
    method: "POST",
    path: "/deliveries/:id/resend",
    what: "one attempt beside the schedule",
    answer: ({ engine, params: { id = "" } }) => webhooksByHand(engine).resend(id),
  },
  {
    method: "POST",
    path: "/credentials/rotate",
    what: '`{"environment": "sandbox"}`: a new API key',
    answer: async ({ ctx, engine }) =>
      rotateCredential(engine, (await readFields(ctx, ["environment"])).environment),
  },
  {
    method: "POST",
    path: "/wait",
    what: '`{"delivery": {…}, "timeoutMs"}` or `{"job": {…}}`: answers when it is so',
    answer: wait,
  },
];

async function setStatus({ ctx, engine, params: { id = "" } }: ControlCall): Promise<object> {
  const { status } = await readFields(ctx, ["status"]);
  return webhooksByHand(engine).setStatus(id, status as Parameters<SandboxWebhooks["setStatus"]>[1]);
}

async function deliveryBody({ ctx, engine, params: { id = "" } }: ControlCall): Promise<null> {
  const { bodyBase64 } = await webhooksByHand(engine).delivery(id);
  ctx.set("Content-Type", "application/octet-stream");
  ctx.body = Buffer.from(bodyBase64, "base64");
  return null;
}

/** Ends with its caller: nobody waits for the answer any more. */
async function wait({ ctx, engine }: ControlCall): Promise<object | null> {
  const gone = new AbortController();
  ctx.res.once("close", () => gone.abort());
  const { timeoutMs, ...what } = await readObject(ctx);
  try {
    return await webhooksByHand(engine).waitFor(what as unknown as Wish, {
      signal: gone.signal,
      ...(timeoutMs !== undefined && { timeoutMs: timeoutMs as number }),
    });
  } catch (error) {
    if (gone.signal.aborted) return null;
    throw error;
  }
}
