import { Buffer } from "node:buffer";
import fc, { type Arbitrary } from "fast-check";
import { encodeRequest } from "../http-client.ts";
import { defineServiceTarget } from "../service.ts";
import { requireThat } from "../target.ts";
import {
  applyChanges,
  type Change,
  changeOf,
  JSON_DELIMITERS,
  joinPieces,
  mostly,
  type Pieces,
  repetition,
} from "../text.ts";

/** A document that is damaged. */
type Damage =
  | { readonly kind: "bytes"; readonly changes: readonly Change[] }
  | { readonly kind: "text"; readonly pieces: Pieces };

interface Input {
  readonly damage: Damage;
  /** Whether it replaces the state at once, or is uploaded and loaded. */
  readonly isState: boolean;
}

/** The longest line is longer than anything a quadratic reader can read in a second. */
const longLine = fc
  .tuple(
    fc.constantFrom<Pieces>([], ['{"format":"claims-sandbox-snapshot",'], ["{"]),
    fc.constantFrom("x", "[", " ", '{"a":', "\\", "1,"),
    mostly(fc.nat(100_000), fc.nat(16 << 20), 3),
  )
  .map(([head, unit, times]): Pieces => [...head, [unit, times]]);

const damage: Arbitrary<Damage> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("bytes" as const),
      changes: fc.array(changeOf(JSON_DELIMITERS), { maxLength: 3 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant("text" as const),
      pieces: mostly(
        fc.array(repetition(["{", "\n", '{"end":1}\n', "[", "\0"], 2_000), { maxLength: 4 }),
        longLine,
        8,
      ),
    }),
  },
);

const input: Arbitrary<Input> = fc.record({ damage, isState: fc.boolean() });

/** What reads every table. */
const PROBES = [
  "/v1/clients",
  "/v1/claims",
  "/v1/offers",
  "/v1/webhooks/endpoints",
  "/v1/webhook-deliveries",
  "/v1/revenue/ledger",
  "/v1/revenue/dashboard",
];
const CONTROL_PROBES = ["/state", "/clock", "/agenda", "/endpoints", "/snapshots/now"];

/** 5. Snapshots and states. */
export const snapshots = defineServiceTarget<Input>({
  name: "snapshots",
  arbitrary: input,
  options: { frozenAt: "2026-11-20T00:00:00Z", webhookRetries: "none" },
  async prepare(service) {
    const { sandbox } = service;
    await sandbox.webhooks.emit({ type: "partner.test" });
    await sandbox.idle();
    await sandbox.snapshots.save("base");
    const exportText = async (name: string): Promise<string> => {
      let text = "";
      for (const piece of await sandbox.snapshots.export(name)) text += piece;
      return text;
    };
    const text = await exportText("base");
    const rows = rowsOf(text);

    const request = async (method: string, path: string, key: string, body: Buffer | null = null) => {
      const bytes = encodeRequest(method, path, [["Authorization", `Bearer ${key}`]], body);
      const response = await service.connection(0).exchange(bytes);
      requireThat(
        response !== null && response.status < 500,
        () => `${method} ${path} → ${response?.status} ${response?.body}`,
      );
      return response;
    };
    const controlRequest = (method: string, path: string, body?: Buffer) =>
      request(method, `/_sandbox${path}`, sandbox.controlToken, body);

    return async ({ damage, isState }) => {
      const document = Buffer.from(damageDocument(text, damage));
      const before = sandbox.snapshots.revision();
      const response = await controlRequest("PUT", isState ? "/state" : "/snapshots/damaged", document);
      const isAccepted = response.status < 300;
      // A transaction that is rolled back counts as changes too.
      if (!isAccepted && sandbox.snapshots.revision() !== before)
        requireThat(rowsOf(await exportText("now")) === rows, () => "a refused document changed the state");
      if (isAccepted) {
        if (!isState) await controlRequest("POST", "/snapshots/damaged/load");
        await probe();
        if (!isState) await controlRequest("DELETE", "/snapshots/damaged");
        const { status } = await controlRequest("POST", "/snapshots/base/load");
        requireThat(status === 200, () => `the undamaged snapshot cannot be restored: ${status}`);
      }
      return { inputs: 1, responses: 1, accepted: isAccepted ? 1 : 0 };
    };

    /** No part of an accepted state may break the requests that follow. */
    async function probe(): Promise<void> {
      const key = String(sandbox.credentials.sandbox?.apiKey).replace(/[^\x20-\x7e]/g, "?");
      for (const path of PROBES) await request("GET", path, key);
      for (const path of CONTROL_PROBES) await controlRequest("GET", path);
    }
  },
});

/** The content of the tables; the random numbers of request ids are in the memory. */
const rowsOf = (document: string): string =>
  document
    .split("\n")
    .filter((line) => /^\{"(table|rows)"/.test(line))
    .join("\n");

const damageDocument = (text: string, damage: Damage): string =>
  damage.kind === "bytes" ? applyChanges(text, damage.changes) : joinPieces(damage.pieces);
