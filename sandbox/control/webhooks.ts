import { Buffer } from "node:buffer";
import type { EventToEmit, SandboxWebhooks, WaitCondition } from "../api/webhooks.ts";
import { rotateCredential } from "../engine/rotate-credential.ts";
import { createWebhooksApi } from "../engine/webhooks/webhooks-api.ts";
import { readJsonObject, readKnownFields } from "./body.ts";
import type { ControlCall, ControlRoute } from "./route.ts";

/** Events, endpoints and deliveries of every partner, by hand. What comes in is looked at where it is carried out. */
export const WEBHOOK_ROUTES: readonly ControlRoute[] = [
  {
    method: "POST",
    path: "/emit",
    summary: '`{"type", "data", "environment", "endpointId"}`: emits an event',
    handle: async ({ ctx, engine }) =>
      createWebhooksApi(engine).emit((await readJsonObject(ctx)) as unknown as EventToEmit),
  },
  {
    method: "GET",
    path: "/endpoints",
    summary: "webhook endpoints of every partner",
    handle: async ({ engine }) => ({ data: await createWebhooksApi(engine).endpoints() }),
  },
  {
    method: "POST",
    path: "/endpoints/:id/status",
    summary: '`{"status": "disabled"}`, `active` or `revoked`',
    handle: setEndpointStatus,
  },
  {
    method: "GET",
    path: "/deliveries/:id",
    summary: "a delivery with every attempt",
    handle: ({ engine, params: { id = "" } }) => createWebhooksApi(engine).delivery(id),
  },
  { method: "GET", path: "/deliveries/:id/body", summary: "the bytes of its body", handle: readDeliveryBody },
  {
    method: "POST",
    path: "/deliveries/:id/resend",
    summary: "one attempt beside the schedule",
    handle: ({ engine, params: { id = "" } }) => createWebhooksApi(engine).resend(id),
  },
  {
    method: "POST",
    path: "/credentials/rotate",
    summary: '`{"environment": "sandbox"}`: a new API key',
    handle: async ({ ctx, engine }) =>
      rotateCredential(engine, (await readKnownFields(ctx, ["environment"])).environment),
  },
  {
    method: "POST",
    path: "/wait",
    summary: '`{"delivery": {…}, "timeoutMs"}` or `{"job": {…}}`: answers when it is so',
    handle: waitForCondition,
  },
];

async function setEndpointStatus({ ctx, engine, params: { id = "" } }: ControlCall): Promise<object> {
  const { status } = await readKnownFields(ctx, ["status"]);
  return createWebhooksApi(engine).setStatus(id, status as Parameters<SandboxWebhooks["setStatus"]>[1]);
}

async function readDeliveryBody({ ctx, engine, params: { id = "" } }: ControlCall): Promise<null> {
  const { bodyBase64 } = await createWebhooksApi(engine).delivery(id);
  ctx.set("Content-Type", "application/octet-stream");
  ctx.body = Buffer.from(bodyBase64, "base64");
  return null;
}

/** Ends with its caller: nobody waits for the answer any more. */
async function waitForCondition({ ctx, engine }: ControlCall): Promise<object | null> {
  const disconnected = new AbortController();
  ctx.res.once("close", () => disconnected.abort());
  const { timeoutMs, ...what } = await readJsonObject(ctx);
  try {
    return await createWebhooksApi(engine).waitFor(what as unknown as WaitCondition, {
      signal: disconnected.signal,
      ...(timeoutMs !== undefined && { timeoutMs: timeoutMs as number }),
    });
  } catch (error) {
    if (disconnected.signal.aborted) return null;
    throw error;
  }
}
