import { beforeAll, describe, expect, it } from "vitest";
import { createClient } from "../support/sample-claims.ts";
import { openSandbox } from "../support/sandbox.ts";
import { entriesCsv, ordinaryEntryNumber, post, submitAndSettle } from "../support/sandbox-requests.ts";
import {
  findLastResponse,
  readStoredIds,
  readStoredRows,
  sortLines,
  startVariedService,
  variationsCovering,
} from "../support/variations.ts";

/** A snapshot with three records of each list, created without grease. */
let snapshot = "";

beforeAll(async () => {
  await using sandbox = await openSandbox();
  const clientId = await createClient(sandbox);
  await post(sandbox, "/v1/clients", { name: "Third" });
  for (const serial of [1, 2, 3]) {
    await sandbox.clock.advance("1h");
    const jobId = await submitAndSettle(sandbox, { file: entriesCsv([ordinaryEntryNumber(serial)]) });
    const claim = await post(sandbox, "/v1/claims", { clientId, jobId });
    await post(sandbox, "/v1/offers", { claimId: claim.body.id });
    const endpoint = { label: `number ${serial}`, url: "http://127.0.0.1:9/", environmentScope: "sandbox" };
    await post(sandbox, "/v1/webhooks/endpoints", { ...endpoint, subscribedEvents: ["partner.test"] });
    await sandbox.webhooks.emit({ type: "partner.test", endpointId: sandbox.credentials.webhook.endpointId });
    await sandbox.idle();
  }
  snapshot = [...(await sandbox.snapshots.export("now"))].join("");
});

const LISTS = [
  { line: ["clients", "list"], table: "client", operation: "clients.list" },
  { line: ["claims", "list"], table: "claim", operation: "claims.list" },
  { line: ["offers", "list"], table: "offer", operation: "offers.list" },
  { line: ["revenue", "ledger"], table: "revenue", operation: "revenue.ledger" },
  { line: ["webhooks", "list"], table: "endpoint", operation: "webhooks.endpoints" },
  { line: ["webhooks", "deliveries"], table: "delivery", operation: "webhooks.deliveries" },
] as const;

describe.each(variationsCovering("listOrder", "listEnvelope", "headerCase"))(
  "list commands on %s",
  (_, variation) => {
    it("--all prints every stored id over several pages, and --json the bytes of one page with a note about further pages", async () => {
      const { sandbox, exits } = await startVariedService(variation, { snapshot });
      for (const { line, table, operation } of LISTS) {
        const ids = await readStoredIds(sandbox, table);
        expect(ids.length).toBeGreaterThan(2);
        expect(sortLines(await exits(0, ...line, "--limit", "2", "--all", "-q"))).toEqual(ids);
        // A varied page can be shorter than its limit.
        const pages = (await sandbox.requests.list({ operation })).length;
        expect([Math.ceil(ids.length / 2), ids.length]).toContain(pages);
        const page = await exits(0, ...line, "--limit", "2", "--json");
        expect(page.stdout, line.join(" ")).toBe(`${(await findLastResponse(sandbox, operation)).text}\n`);
        expect(page.stderr).toContain("--all shows all");
      }
    });

    it("every output format has the same items, and api --paginate prints every page", async () => {
      const { sandbox, exits } = await startVariedService(variation, { snapshot });
      const names = (await readStoredRows(sandbox, "client")).map(({ name }) => String(name)).toSorted();
      const listAll = (...format: string[]) =>
        exits(0, "clients", "list", "--limit", "2", "--all", ...format);
      const lines = (text: string) => text.trimEnd().split(/\r?\n/);
      expect(
        lines((await listAll()).stdout)
          .map((row) => row.split("\t")[1])
          .toSorted(),
      ).toEqual(names);
      expect(sortLines(await listAll("--fields", "name"))).toEqual(names);
      expect(lines((await listAll("--csv")).stdout)).toHaveLength(names.length + 1);
      const byLine = lines((await listAll("--ndjson")).stdout).map((line) => JSON.parse(line));
      expect(byLine.map(({ name }) => name).toSorted()).toEqual(names);

      const joined = JSON.parse((await listAll("--json")).stdout);
      const name = variation.choices.listEnvelope ?? "data";
      const items = name === "array" ? joined : joined[name];
      expect(items).toEqual(byLine);
      const pages = await exits(0, "api", "GET", "/v1/clients", "-f", "limit=2", "--paginate");
      const printed = lines(pages.stdout).map((page) => JSON.parse(page));
      expect(printed.flatMap((page) => (name === "array" ? page : page[name]))).toEqual(byLine);
    });
  },
);
