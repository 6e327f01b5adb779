import { spawn } from "node:child_process";
import { createHmac } from "node:crypto";
import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import type { CaseId } from "../../../src/domain/webhooks/probe/cases.ts";
import type { DiagnosisId, REMARKS } from "../../../src/domain/webhooks/probe/diagnoses.ts";
import { isGenuine } from "./correct.ts";
import { header, listenForDeliveries, type Received, SECRET } from "./listen.ts";

/** A receiver, with everything that a probe reports about it. */
interface FaultyReceiver {
  readonly flaw: string;
  readonly start: () => Promise<string>;
  readonly diagnoses?: readonly DiagnosisId[];
  /** Failed documented cases without a diagnosis. */
  readonly unexplained?: readonly CaseId[];
  /** Failed advice in addition to that on the event header and old deliveries. */
  readonly advice?: readonly CaseId[];
  readonly remarks?: readonly (keyof typeof REMARKS)[];
}

type Answer = (received: Received, response: ServerResponse) => unknown;

const answer = (respond: Answer) => () =>
  listenForDeliveries((request: IncomingMessage, response) => {
    request.toArray().then((chunks) => {
      respond({ headers: request.headers, raw: Buffer.concat(chunks as Buffer[]) }, response);
    });
  });

const reply = (response: ServerResponse, status: number, body = "") => response.writeHead(status).end(body);

const sign = (timestamp: string, body: Buffer | string): string =>
  createHmac("sha256", SECRET).update(`${timestamp}.`).update(body).digest("hex");

const isComplete = (received: Received): boolean =>
  Boolean(header(received, "timestamp") && header(received, "signature"));

/** Verifies with another body or timestamp than those of the request. */
const verifies = (
  change: (received: Received) => { timestamps?: readonly string[]; body?: Buffer | string },
): (() => Promise<string>) =>
  answer((received, response) => {
    const { timestamps = [header(received, "timestamp") ?? ""], body = received.raw } = change(received);
    const right = timestamps.map((timestamp) => sign(timestamp, body));
    const isRight = isComplete(received) && right.includes(header(received, "signature") ?? "");
    reply(response, isRight ? 200 : 401);
  });

const unixSeconds = (): number => Math.floor(Date.now() / 1000);

/** Judges the age, and says the time of the clock in Date. */
const judgesAge = (ageOf: (timestamp: number) => number, clock = Date.now) =>
  answer((received, response) => {
    const isFresh = Math.abs(ageOf(Number(header(received, "timestamp")))) <= 300_000;
    response.setHeader("date", new Date(clock()).toUTCString());
    reply(response, isGenuine(received) && isFresh ? 200 : 401);
  });

/** The same numbers in every run (Numerical Recipes' generator). */
function pseudoRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return state / 2 ** 32;
  };
}

function breaksAtRandom(respond: (received: Received) => number, seed: number): () => Promise<string> {
  const random = pseudoRandom(seed);
  return answer((received, response) => reply(response, random() < 0.3 ? 503 : respond(received)));
}

const HOUR = 3_600_000;

export const FAULTY: readonly FaultyReceiver[] = [
  {
    flaw: "URL-decodes the body",
    start: verifies(({ raw }) => {
      try {
        return { body: decodeURIComponent(raw.toString().replaceAll("+", " ")) };
      } catch {
        return {};
      }
    }),
    diagnoses: ["receiver.url_decodes"],
  },
  {
    flaw: "normalizes Unicode",
    start: verifies(({ raw }) => ({ body: raw.toString().normalize("NFC") })),
    diagnoses: ["receiver.composes"],
  },
  {
    flaw: "signs its own clock",
    start: verifies(() => ({ timestamps: [0, 1].map((lag) => String(unixSeconds() - lag)) })),
    diagnoses: ["receiver.signs_own_clock"],
    advice: ["advice.old_20_seconds", "advice.timestamp_fraction"],
  },
  {
    flaw: "refuses what is older than a second",
    start: answer((received, response) => {
      const age = unixSeconds() - Number(header(received, "timestamp"));
      reply(response, isGenuine(received) && age <= 1 ? 200 : 401);
    }),
    diagnoses: ["receiver.refuses_2_seconds"],
    advice: ["advice.old_20_seconds"],
  },
  {
    flaw: "compares the last 8 digits",
    start: answer((received, response) => {
      const right = sign(header(received, "timestamp") ?? "", received.raw);
      const isRight = isComplete(received) && header(received, "signature")?.slice(-8) === right.slice(-8);
      reply(response, isRight ? 200 : 401);
    }),
    diagnoses: ["receiver.compares_a_part"],
  },
  {
    flaw: "signs a number made of the timestamp",
    start: verifies((received) => ({
      timestamps: [String(Number.parseInt(header(received, "timestamp") ?? "", 10))],
    })),
    advice: ["advice.timestamp_fraction"],
  },
  {
    flaw: "keeps the first body",
    start: () => {
      let first: Buffer | undefined;
      return verifies(({ raw }) => {
        first ??= raw;
        return { body: first };
      })();
    },
    diagnoses: ["receiver.accepts_first_only"],
  },
  {
    flaw: "reports failures in the body of a 200",
    start: answer((received, response) => reply(response, 200, JSON.stringify({ ok: isGenuine(received) }))),
    diagnoses: ["receiver.rejects_in_body"],
    advice: [],
    remarks: ["answer.failure_in_body"],
  },
  {
    flaw: "reads the timestamp as milliseconds",
    start: judgesAge((timestamp) => Date.now() - timestamp),
    diagnoses: ["receiver.refuses_everything"],
    remarks: ["possible.unit"],
  },
  {
    flaw: "has a clock that is an hour ahead",
    start: judgesAge(
      (timestamp) => Date.now() + HOUR - timestamp * 1000,
      () => Date.now() + HOUR,
    ),
    diagnoses: ["receiver.refuses_everything"],
    remarks: ["possible.clock"],
  },
  {
    flaw: "has a clock that is 10 minutes behind",
    start: judgesAge((timestamp) => Date.now() - 600_000 - timestamp * 1000),
    diagnoses: ["receiver.refuses_everything"],
    remarks: ["possible.clock"],
  },
  ...[1, 2, 3, 4, 5].map(
    (seed): FaultyReceiver => ({
      flaw: `responds 503 at random (${seed})`,
      start: breaksAtRandom((received) => (isGenuine(received) ? 200 : 401), seed),
      diagnoses: ["receiver.breaks_sometimes"],
    }),
  ),
  {
    flaw: "breaks on one body",
    start: answer((received, response) => {
      if (received.raw.includes("12345678901234567890"))
        return reply(response, 500, "BigInt is not supported");
      return reply(response, isGenuine(received) ? 200 : 401);
    }),
    unexplained: ["raw.numbers"],
  },
  {
    flaw: "responds 204 with a length",
    start: () =>
      listenForDeliveries((request, response) => {
        request.toArray().then((chunks) => {
          const raw = Buffer.concat(chunks as Buffer[]);
          const status = isGenuine({ headers: request.headers, raw }) ? "204 No Content" : "401 Unauthorized";
          const length = status.startsWith("204") ? 5 : 0;
          response.socket?.end(
            `HTTP/1.1 ${status}\r\nContent-Length: ${length}\r\nConnection: close\r\n\r\n`,
          );
        });
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
  },
  {
    flaw: "responds with the correct signature",
    start: answer((received, response) => {
      if (isGenuine(received)) return reply(response, 200, `got ${header(received, "signature")}`);
      const right = sign(header(received, "timestamp") ?? "", received.raw);
      return reply(response, 401, `expected ${right.toUpperCase()}, got ${header(received, "signature")}`);
    }),
    remarks: ["answer.reveals_signature"],
  },
  {
    flaw: "responds with the secret",
    start: answer((received, response) =>
      isGenuine(received)
        ? reply(response, 200)
        : reply(response, 500, `env: { WEBHOOK_SECRET: "${SECRET}" }`),
    ),
    remarks: ["answer.reveals_secret", "answer.server_error"],
  },
];

/** Starts `receiver.py` with one of its flaws. */
function startPython(flaw: string): () => Promise<string> {
  return async () => {
    const script = fileURLToPath(new URL("receiver.py", import.meta.url));
    const child = spawn("python3", [script, flaw, SECRET], { stdio: ["ignore", "pipe", "inherit"] });
    onTestFinished(() => void child.kill());
    const [port] = await once(child.stdout, "data");
    return `http://127.0.0.1:${String(port).trim()}/hook`;
  };
}

const python = (flaw: string, expected: Omit<FaultyReceiver, "flaw" | "start">): FaultyReceiver => ({
  flaw: `Python: ${flaw}`,
  start: startPython(flaw),
  ...expected,
});

export const FAULTY_IN_PYTHON: readonly FaultyReceiver[] = [
  python("json.dumps(json.loads(body))", { diagnoses: ["receiver.reserializes"] }),
  python("body.strip()", { diagnoses: ["receiver.trims"] }),
  python("body.decode('latin-1')", { diagnoses: ["receiver.decodes"] }),
  python("unquote_plus(body)", { diagnoses: ["receiver.url_decodes"] }),
  python("unicodedata.normalize('NFC', body)", { diagnoses: ["receiver.composes"] }),
  python("'\\n'.join(body.splitlines())", { diagnoses: ["receiver.trims", "receiver.changes_line_ends"] }),
  python("int(timestamp)", { advice: ["advice.timestamp_fraction"] }),
];
