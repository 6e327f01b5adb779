import { createHmac } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { DiagnosisId } from "../../../src/domain/webhooks/probe/diagnoses.ts";
import { isGenuine } from "./correct.ts";
import { header, listenForDeliveries, type Received, SECRET } from "./listen.ts";

/** A receiver and everything that the probe reports about it. */
interface FaultyReceiver {
  readonly flaw: string;
  readonly start: () => Promise<string>;
  readonly diagnoses?: readonly (DiagnosisId | "receiver.clock_differs" | "receiver.expects_milliseconds")[];
  /** 7 if it is not given. */
  readonly code?: number;
}

type Respond = (received: Received, response: ServerResponse) => unknown;

const createReceiver = (respond: Respond) => () =>
  listenForDeliveries((request: IncomingMessage, response) => {
    request.toArray().then((chunks) => {
      respond({ headers: request.headers, raw: Buffer.concat(chunks as Buffer[]) }, response);
    });
  });

const sendStatus = (response: ServerResponse, status: number, body = "") =>
  response.writeHead(status).end(body);

const sign = (timestamp: string, body: Buffer | string): string =>
  createHmac("sha256", SECRET).update(`${timestamp}.`).update(body).digest("hex");

const isComplete = (received: Received): boolean =>
  Boolean(header(received, "timestamp") && header(received, "signature"));

/** Verifies with another body or timestamp than those of the request. */
const createVerifier = (
  change: (received: Received) => { timestamps?: readonly string[]; body?: Buffer | string },
): (() => Promise<string>) =>
  createReceiver((received, response) => {
    const { timestamps = [header(received, "timestamp") ?? ""], body = received.raw } = change(received);
    const expectedSignatures = timestamps.map((timestamp) => sign(timestamp, body));
    const isValid = isComplete(received) && expectedSignatures.includes(header(received, "signature") ?? "");
    sendStatus(response, isValid ? 200 : 401);
  });

const unixSeconds = (): number => Math.floor(Date.now() / 1000);

/** Checks the age by its own clock, which the Date header shows. */
const createAgeChecker = (ageOf: (timestamp: number) => number, clock = Date.now) =>
  createReceiver((received, response) => {
    const isFresh = Math.abs(ageOf(Number(header(received, "timestamp")))) <= 300_000;
    response.setHeader("date", new Date(clock()).toUTCString());
    sendStatus(response, isGenuine(received) && isFresh ? 200 : 401);
  });

/** Creates a pseudorandom generator that returns the same numbers in every run (Numerical Recipes). */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return state / 2 ** 32;
  };
}

function failAtRandom(respond: (received: Received) => number, seed: number): () => Promise<string> {
  const random = createRandom(seed);
  return createReceiver((received, response) =>
    sendStatus(response, random() < 0.3 ? 503 : respond(received)),
  );
}

const HOUR_MS = 3_600_000;

export const FAULTY: readonly FaultyReceiver[] = [
  {
    flaw: "signs its own clock",
    start: createVerifier(() => ({ timestamps: [0, 1].map((lag) => String(unixSeconds() - lag)) })),
    diagnoses: ["receiver.signs_own_clock"],
  },
  {
    flaw: "reports failures in the body of a 200",
    start: createReceiver((received, response) =>
      sendStatus(response, 200, JSON.stringify({ ok: isGenuine(received) })),
    ),
    diagnoses: ["receiver.rejects_in_body"],
  },
  {
    flaw: "reads the timestamp as milliseconds",
    start: createAgeChecker((timestamp) => Date.now() - timestamp),
    diagnoses: ["receiver.expects_milliseconds"],
  },
  {
    flaw: "has a clock that is an hour ahead",
    start: createAgeChecker(
      (timestamp) => Date.now() + HOUR_MS - timestamp * 1000,
      () => Date.now() + HOUR_MS,
    ),
    diagnoses: ["receiver.clock_differs"],
  },
  {
    flaw: "responds 503 at random",
    start: failAtRandom((received) => (isGenuine(received) ? 200 : 401), 1),
    diagnoses: ["receiver.breaks_sometimes"],
    code: 6,
  },
  {
    flaw: "breaks on one body",
    start: createReceiver((received, response) => {
      if (received.raw.includes("12345678901234567890"))
        return sendStatus(response, 500, "BigInt is not supported");
      return sendStatus(response, isGenuine(received) ? 200 : 401);
    }),
  },
  {
    flaw: "closes the connection before the end of its body",
    start: () =>
      listenForDeliveries((request, response) => {
        request.toArray().then((chunks) => {
          const raw = Buffer.concat(chunks as Buffer[]);
          const status = isGenuine({ headers: request.headers, raw }) ? "200 OK" : "401 Unauthorized";
          response.socket?.end(`HTTP/1.1 ${status}\r\nContent-Length: 50\r\nConnection: close\r\n\r\nshort`);
        });
      }),
    code: 0,
  },
  {
    flaw: "responds with the correct signature",
    start: createReceiver((received, response) => {
      if (isGenuine(received)) return sendStatus(response, 200, `got ${header(received, "signature")}`);
      const expectedSignatures = sign(header(received, "timestamp") ?? "", received.raw);
      return sendStatus(
        response,
        401,
        `expected ${expectedSignatures.toUpperCase()}, got ${header(received, "signature")}`,
      );
    }),
    diagnoses: ["receiver.reveals_signature"],
    code: 0,
  },
  {
    flaw: "responds with the secret",
    start: createReceiver((received, response) =>
      isGenuine(received)
        ? sendStatus(response, 200)
        : sendStatus(response, 500, `env: { WEBHOOK_SECRET: "${SECRET}" }`),
    ),
    diagnoses: ["receiver.reveals_secret"],
    code: 0,
  },
];
