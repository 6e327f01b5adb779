import { Agent, request as httpRequest } from "node:http";
import { setTimeout } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import type { FaultSpec, Sandbox } from "../../../sandbox/index.ts";
import { sandboxForTest } from "../../support/sandbox.ts";
import { call, entriesCsv, ordinaryEntryNumber, submissionForm } from "../../support/sandbox-requests.ts";

const CLIENTS = 200;
/** What each of them does, so many times; with 30 it takes a minute or two. */
const ROUNDS = 1;

interface Write {
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body: Uint8Array;
}

interface Made {
  readonly id: string;
  readonly eventId: string;
  readonly jobId: string;
  readonly deliveries: readonly string[];
}

/** Counts what the clients went through, so that a soak without any bad luck is seen as one. */
const luck = { lost: 0, refused: 0, replayed: 0, running: 0 };

/** Sends a write with its key until it has an answer that is none of a fault, however often the answer is lost. */
async function written(sandbox: Sandbox, agent: Agent, write: Write, key: string): Promise<Made> {
  for (;;) {
    const answer = await sent(sandbox, agent, write, key).catch(() => null);
    if (answer === null) luck.lost += 1;
    else if (answer.status < 300) {
      if (answer.replayed) luck.replayed += 1;
      const { id, eventId, jobId, previews = [] } = JSON.parse(answer.text);
      const deliveries = previews.map((preview: { deliveryId: string }) => preview.deliveryId);
      return { id, eventId, jobId, deliveries };
    } else if (answer.status === 409 && /request_in_progress|job_not_completed/.test(answer.text))
      luck.running += 1;
    else if (answer.status === 503) luck.refused += 1;
    else throw new Error(`${write.path} → ${answer.status} ${answer.text}`);
    await setTimeout(1);
  }
}

const sent = ({ port, credentials }: Sandbox, agent: Agent, { path, headers, body }: Write, key: string) =>
  new Promise<{ status: number; text: string; replayed: boolean }>((resolve, reject) => {
    const request = httpRequest({
      ...{ host: "127.0.0.1", port, agent, method: "POST", path },
      headers: {
        ...headers,
        authorization: `Bearer ${credentials.sandbox.apiKey}`,
        "content-length": body.length,
        "idempotency-key": key,
      },
    });
    request.once("error", reject).once("response", (answer) => {
      let text = "";
      answer.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk;
      });
      answer.once("error", reject).once("end", () => {
        if (!answer.complete) return reject(new Error("cut short"));
        const replayed = answer.headers["idempotent-replayed"] === "true";
        resolve({ status: answer.statusCode ?? 0, text, replayed });
      });
    });
    request.end(body);
  });

const json = (path: string, body: unknown): Write => ({
  path,
  headers: { "content-type": "application/json" },
  body: Buffer.from(JSON.stringify(body)),
});

async function upload(serial: number): Promise<Write> {
  const form = new Response(submissionForm({ file: entriesCsv([ordinaryEntryNumber(serial)]) }));
  return {
    path: "/v1/diligence/submit",
    headers: { "content-type": form.headers.get("content-type") ?? "" },
    body: Buffer.from(await form.arrayBuffer()),
  };
}

/** One of each thing, each from the one before; every answer may be lost, and none may be made twice. */
async function round(sandbox: Sandbox, agent: Agent, number: number) {
  const make = (write: Write, step: string) => written(sandbox, agent, write, `${step}-${number}`);
  const client = await make(json("/v1/clients", { name: `Client ${number}` }), "client");
  const { jobId } = await make(await upload(number), "job");
  const claim = await make(json("/v1/claims", { clientId: client.id, jobId }), "claim");
  const offer = await make(json("/v1/offers", { claimId: claim.id }), "offer");
  const event = { eventType: "partner.test", environment: "sandbox" };
  const { eventId, deliveries } = await make(json("/v1/sandbox/webhooks/test", event), "event");
  return { client: client.id, job: jobId, claim: claim.id, offer: offer.id, event: eventId, deliveries };
}

const FAULTS: readonly FaultSpec[] = [
  { phase: "after", probability: 0.05, then: { reset: true } },
  { phase: "after", probability: 0.05, then: { truncate: true } },
  { phase: "after", probability: 0.05, then: { status: 503 } },
  { phase: "before", probability: 0.05, then: { status: 503 } },
  { phase: "before", probability: 0.05, then: { delay: "10ms" } },
  { phase: "before", probability: 0.05, then: { garbage: true } },
];

/** Until the clients are done: the clock goes on, states are saved, faults come and go. */
async function weather(sandbox: Sandbox, signal: AbortSignal): Promise<number> {
  let count = 0;
  for (; !signal.aborted; count += 1) {
    const rule = FAULTS[count % FAULTS.length];
    if (rule) sandbox.faults.add(rule);
    if (count % 10 === 9) sandbox.faults.clear();
    // Less than a day in all, for as long as a key is kept.
    await sandbox.clock.advance("1s");
    if (count % 5 === 0) await sandbox.snapshots.save(`s-${count % 3}`);
    if (count % 7 === 0) await sandbox.requests.list({ limit: 20 });
    await setTimeout(5);
  }
  sandbox.faults.clear();
  return count;
}

async function listed(sandbox: Sandbox, path: string): Promise<Record<string, unknown>[]> {
  const rows: Record<string, unknown>[] = [];
  for (let cursor: unknown = ""; cursor !== null; ) {
    const more = cursor === "" ? "" : `&cursor=${encodeURIComponent(String(cursor))}`;
    const { body } = await call(sandbox, `${path}?limit=200${more}`);
    rows.push(...(body.data as Record<string, unknown>[]));
    cursor = body.nextCursor;
  }
  return rows;
}

const ids = (rows: readonly Record<string, unknown>[], name = "id") =>
  rows.map((row) => String(row[name])).sort();

test("200 clients with lost responses on a running clock create each row exactly once", async () => {
  const failures: unknown[] = [];
  const sandbox = await sandboxForTest({ onError: (error) => failures.push(error), requestLogSize: 200 });
  const seeded = (await listed(sandbox, "/v1/clients")).length;
  const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS });
  onTestFinished(() => agent.destroy());
  const done = new AbortController();
  const weathering = weather(sandbox, done.signal);
  const rounds = await Promise.all(
    Array.from({ length: CLIENTS }, async (_, client) => {
      const made = [];
      for (let turn = 0; turn < ROUNDS; turn += 1)
        made.push(await round(sandbox, agent, client * ROUNDS + turn));
      return made;
    }),
  );
  done.abort();
  const turns = await weathering;
  const made = rounds.flat();
  const total = CLIENTS * ROUNDS;
  const of = (name: keyof (typeof made)[number]) => made.map((each) => String(each[name])).sort();

  expect(turns).toBeGreaterThan(5);
  for (const [kind, count] of Object.entries(luck))
    if (kind !== "running") expect(count, kind).toBeGreaterThan(0);
  const clients = await listed(sandbox, "/v1/clients");
  expect(clients).toHaveLength(total + seeded);
  expect(ids(clients)).toEqual(expect.arrayContaining(of("client")));
  expect(new Set(ids(clients, "name")).size).toBe(total + seeded);
  const state = await call(sandbox, "/_sandbox/state", { token: sandbox.controlToken });
  expect(state.body).toMatchObject({
    jobs: { completed: total },
    claims: { financed: total },
    offers: { accepted: total },
    deliveries: { delivered: total },
  });
  const claims = await listed(sandbox, "/v1/claims");
  expect([ids(claims), ids(claims, "jobId")]).toEqual([of("claim"), of("job")]);
  const offers = await listed(sandbox, "/v1/offers");
  expect([ids(offers), ids(offers, "claimId")]).toEqual([of("offer"), of("claim")]);

  const ledger = await listed(sandbox, "/v1/revenue/ledger");
  expect(ids(ledger, "offerId")).toEqual(of("offer"));
  const fees = offers.reduce((sum, offer) => sum + Number(offer.feeCents), 0);
  const earned = ledger.reduce((sum, entry) => sum + Number(entry.amountCents), 0);
  expect([earned, ledger[0]?.balanceCents]).toEqual([fees, fees]);
  const { body: dashboard } = await call(sandbox, "/v1/revenue/dashboard");
  expect(dashboard).toMatchObject({ revenue: { entries: total, totalCents: fees } });

  const deliveries = await listed(sandbox, "/v1/webhook-deliveries");
  expect(ids(deliveries, "eventId")).toEqual(of("event"));
  expect(ids(deliveries)).toEqual(made.flatMap((each) => each.deliveries).sort());
  expect(deliveries.every(({ attemptCount }) => attemptCount === 1)).toBe(true);
  expect(sandbox.clock.agenda()).toEqual([]);
  expect(failures).toEqual([]);
}, 60_000);
