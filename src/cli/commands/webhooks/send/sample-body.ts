import { Buffer } from "node:buffer";
import { randomUUID } from "node:crypto";
import type { Context } from "../../../context.ts";

/** A payload as the sandbox makes them (product.md §5), with an id of its own, so that no receiver takes it for a repeat. */
export const createSampleBody = ({ now }: Pick<Context, "now">, event = "partner.test"): Buffer =>
  Buffer.from(
    JSON.stringify({
      id: randomUUID(),
      type: event,
      environment: "sandbox",
      createdAt: new Date(now()).toISOString(),
      data: { note: "made up by claims webhooks send" },
    }),
  );
