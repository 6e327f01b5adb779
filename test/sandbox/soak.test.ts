import { Agent, request as httpRequest } from "node:http";
import { setTimeout } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import type { FaultSpec, Sandbox } from "../../sandbox/index.ts";
import { IS_EXHAUSTIVE } from "../support/exhaustive.ts";
import { sandboxForTest } from "../support/sandbox.ts";
import { call, entriesCsv, ordinaryEntryNumber, submissionForm } from "../support/sandbox-requests.ts";

const CLIENTS = IS_EXHAUSTIVE ? 200 : 40;
/** How often each client sends its writes. 30 rounds take one to two minutes. */
const ROUNDS = 1;

interface Write {
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body: Uint8Array;
}

interface Created {
  readonly id: string;
  readonly eventId: string;
  readonly jobId: string;
  readonly deliveries: readonly string[];
}

/** Counts the faults that the clients observe, so that a run without faults fails. */
const observed = { lost: 0, refused: 0, replayed: 0, running: 0 };

/** Repeats a write with its idempotency key until it succeeds. */
async function sendUntilSuccess(sandbox: Sandbox, agent: Agent, write: Write, key: string): Promise<Created> {
  for (;;) {
    const response = await send(sandbox, agent, write, key).catch(() => null);
    if (response === null) observed.lost += 1;
    else if (response.status < 300) {
      if (response.replayed) observed.replayed += 1;
      const { id, eventId, jobId, previews = [] } = JSON.parse(response.text);
      const deliveries = previews.map((preview: { deliveryId: string }) => preview.deliveryId);
      return { id, eventId, jobId, deliveries };
    } else if (response.status === 409 && /request_in_progress|job_not_completed/.test(response.text))
      observed.running += 1;
    else if (response.status === 503) observed.refused += 1;
    else throw new Error(`${write.path} → ${response.status} ${response.text}`);
    await setTimeout(1);
  }
}

const send = ({ port, credentials }: Sandbox, agent: Agent, { path, headers, body }: Write, key: string) =>
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
    request.once("error", reject).once("response", (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk;
      });
      response.once("error", reject).once("end", () => {
        if (!response.complete) return reject(new Error("response truncated"));
        const replayed = response.headers["idempotent-replayed"] === "true";
        resolve({ status: response.statusCode ?? 0, text, replayed });
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

/** Creates one resource of each kind, each from the previous one. Every response can be lost; no resource may exist twice. */
async function createAll(sandbox: Sandbox, agent: Agent, number: number) {
  const create = (write: Write, step: string) => sendUntilSuccess(sandbox, agent, write, `${step}-${number}`);
  const client = await create(json("/v1/clients", { name: `Client ${number}` }), "client");
  const { jobId } = await create(await upload(number), "job");
  const claim = await create(json("/v1/claims", { clientId: client.id, jobId }), "claim");
  const offer = await create(json("/v1/offers", { claimId: claim.id }), "offer");
  const event = { eventType: "partner.test", environment: "sandbox" };
  const { eventId, deliveries } = await create(json("/v1/sandbox/webhooks/test", event), "event");
  return { client: client.id, job: jobId, claim: claim.id, offer: offer.id, event: eventId, deliveries };
}

const FAULTS: readonly FaultSpec[] = [
  { phase: "after", probability: 0.05, then: { reset: true } },
  { phase: "after", probability: 0.05, then: { truncate: true } },
  { phase: "after", probability: 0.05, then: { status: 503 } },
  { phase: "before", probability: 0.05, then: { status: 503 } },
  { phase: "before", probability: 0.05, then: { delay: "10ms" } },
];

/** Advances the clock, saves snapshots, adds and clears faults until the signal. */
async function disturb(sandbox: Sandbox, signal: AbortSignal): Promise<void> {
  // On a slow machine, the clients may end during the first advance.
  for (const rule of FAULTS) sandbox.faults.add(rule);
  for (let count = 0; !signal.aborted; count += 1) {
    const rule = FAULTS[count % FAULTS.length];
    if (rule) sandbox.faults.add(rule);
    if (count % 10 === 9) sandbox.faults.clear();
    // Idempotency keys expire after a day; all advances together are shorter.
    await sandbox.clock.advance("1s");
    if (count % 5 === 0) await sandbox.snapshots.save(`s-${count % 3}`);
    if (count % 7 === 0) await sandbox.requests.list({ limit: 20 });
    await setTimeout(5);
  }
  sandbox.faults.clear();
}

async function listAll(sandbox: Sandbox, path: string): Promise<Record<string, unknown>[]> {
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

test(`${CLIENTS} clients with lost responses on a running clock create each row exactly once`, {
  tags: "large",
}, async () => {
  const failures: unknown[] = [];
  const sandbox = await sandboxForTest({ onError: (error) => failures.push(error), requestLogSize: 200 });
  const seeded = (await listAll(sandbox, "/v1/clients")).length;
  const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS });
  onTestFinished(() => agent.destroy());
  const done = new AbortController();
  const disturbance = disturb(sandbox, done.signal);
  let total = 0;
  const rounds = await Promise.all(
    Array.from({ length: CLIENTS }, async () => {
      const created = [];
      for (let turn = 0; turn < ROUNDS; turn += 1) {
        total += 1;
        created.push(await createAll(sandbox, agent, total));
      }
      return created;
    }),
  );
  done.abort();
  await disturbance;
  await sandbox.idle();
  const created = rounds.flat();
  const listCreated = (name: keyof (typeof created)[number]) =>
    created.map((each) => String(each[name])).sort();

  for (const [kind, count] of Object.entries(observed))
    if (kind !== "running") expect(count, kind).toBeGreaterThan(0);
  const clients = await listAll(sandbox, "/v1/clients");
  expect(clients).toHaveLength(total + seeded);
  expect(ids(clients)).toEqual(expect.arrayContaining(listCreated("client")));
  expect(new Set(ids(clients, "name")).size).toBe(total + seeded);
  const state = await call(sandbox, "/_sandbox/state", { token: sandbox.controlToken });
  expect(state.body).toMatchObject({
    jobs: { completed: total },
    claims: { financed: total },
    offers: { accepted: total },
    deliveries: { delivered: total },
  });
  const claims = await listAll(sandbox, "/v1/claims");
  expect([ids(claims), ids(claims, "jobId")]).toEqual([listCreated("claim"), listCreated("job")]);
  const offers = await listAll(sandbox, "/v1/offers");
  expect([ids(offers), ids(offers, "claimId")]).toEqual([listCreated("offer"), listCreated("claim")]);

  const ledger = await listAll(sandbox, "/v1/revenue/ledger");
  expect(ids(ledger, "offerId")).toEqual(listCreated("offer"));
  const fees = offers.reduce((sum, offer) => sum + Number(offer.feeCents), 0);
  const earned = ledger.reduce((sum, entry) => sum + Number(entry.amountCents), 0);
  expect([earned, ledger[0]?.balanceCents]).toEqual([fees, fees]);
  const { body: dashboard } = await call(sandbox, "/v1/revenue/dashboard");
  expect(dashboard).toMatchObject({ revenue: { entries: total, totalCents: fees } });

  const deliveries = await listAll(sandbox, "/v1/webhook-deliveries");
  expect(ids(deliveries, "eventId")).toEqual(listCreated("event"));
  expect(ids(deliveries)).toEqual(created.flatMap((each) => each.deliveries).sort());
  expect(deliveries.every(({ attemptCount }) => attemptCount === 1)).toBe(true);
  expect(sandbox.clock.agenda()).toEqual([]);
  expect(failures).toEqual([]);
});
