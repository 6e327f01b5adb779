import { createHmac, timingSafeEqual } from "node:crypto";
import express from "express";
import Koa from "koa";
import { verify } from "../../../src/signature.ts";
import { header, listenForDeliveries, type Received, SECRET, startReceiver } from "./listen.ts";

/** The rules of interface §6, implemented without a library. */
export function isGenuine(received: Received): boolean {
  const timestamp = header(received, "timestamp");
  const signature = header(received, "signature");
  if (!timestamp || !signature) return false;
  const expected = Buffer.from(
    createHmac("sha256", SECRET).update(`${timestamp}.`).update(received.raw).digest("hex"),
  );
  const given = Buffer.from(signature);
  return given.length === expected.length && timingSafeEqual(given, expected);
}

const TOLERANCE_SECONDS = 300;

const isFresh = (received: Received): boolean =>
  Math.abs(Date.now() / 1000 - Number(header(received, "timestamp"))) < TOLERANCE_SECONDS;

/** Receivers that follow the rules of the interface, with different frameworks. */
export const CORRECT: Readonly<Record<string, () => Promise<string>>> = {
  "node:http without a library": () => startReceiver((received) => (isGenuine(received) ? 200 : 401)),
  "node:http, checking the age": () =>
    startReceiver((received) => (isGenuine(received) && isFresh(received) ? 204 : 401)),
  "Express with express.raw": () => {
    const app = express();
    app.post("/hook", express.raw({ type: () => true, limit: "5mb" }), (request, response) => {
      const body: unknown = request.body;
      const { verdict } = verify({ secrets: [SECRET], headers: request.headers, body: body as Buffer });
      response.sendStatus(verdict === "valid" ? 200 : 401);
    });
    return listenForDeliveries(app);
  },
  Koa: () => {
    const app = new Koa().use(async (context) => {
      const body = Buffer.concat((await context.req.toArray()) as Buffer[]);
      const { verdict } = verify({ secrets: [SECRET], headers: context.req.headers, body });
      context.status = verdict === "valid" ? 202 : 400;
    });
    return listenForDeliveries(app.callback());
  },
};
