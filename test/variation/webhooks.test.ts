import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { runCli, startCli } from "../support/cli.ts";
import { startReceiver } from "../support/receiver.ts";
import { GOLDEN_TIME } from "../support/sandbox.ts";
import {
  readStoredIds,
  readStoredRows,
  startVariedService,
  type Variation,
  variationsCovering,
} from "../support/variations.ts";

/** Starts a varied service and a receiver with an endpoint, whose signing secret is in `whsec.txt`. */
async function startWithReceiver(variation: Variation) {
  const service = await startVariedService(variation);
  const { url, requests } = await startReceiver((_, response) => response.writeHead(200).end("received"));
  const endpoint = await service.idOf("webhooks", "create", url, "--secret-file", "whsec.txt");
  /** Sends a test event and returns the id of the stored delivery. */
  const send = async (): Promise<string> => {
    const before = await readStoredIds(service.sandbox, "delivery");
    await service.exits(0, "webhooks", "test", "partner.test", "--endpoint", endpoint);
    const added = (await readStoredIds(service.sandbox, "delivery")).filter((id) => !before.includes(id));
    expect(added).toHaveLength(1);
    await service.sandbox.idle();
    return added[0] ?? "";
  };
  return { ...service, requests, endpoint, send };
}

describe.each(variationsCovering("payloadForm"))("webhook payloads on %s", (_, variation) => {
  it("webhooks verify accepts deliveries with the secret that webhooks create wrote to a file", async () => {
    const { sandbox, cwd, requests, endpoint, exits, send } = await startWithReceiver(variation);
    const stored = (await readStoredRows(sandbox, "endpoint")).find(({ id }) => id === endpoint);
    expect(readFileSync(join(cwd, "whsec.txt"), "utf8")).toBe(stored?.secret);

    const id = await send();
    const delivery = await exits(0, "webhooks", "deliveries", "show", id, "--json");
    expect(JSON.parse(delivery.stdout).body).toBe(String(requests[0]?.body));
    writeFileSync(join(cwd, "body.json"), requests[0]?.body ?? "");
    const lines = (requests[0]?.headers ?? []).map(([name, value]) => `${name}: ${value}\n`);
    writeFileSync(join(cwd, "headers.txt"), lines.join(""));
    const secret = ["--secret-file", "whsec.txt", "--at", GOLDEN_TIME, "--tolerance", "1m", "--json"];
    for (const source of [
      ["--delivery", id],
      ["--body", "body.json", "--headers", "headers.txt"],
    ])
      expect(JSON.parse((await exits(0, "webhooks", "verify", ...source, ...secret)).stdout)).toMatchObject({
        verdict: "valid",
        event: "partner.test",
      });
    // A body that is parsed and serialized again has other bytes.
    writeFileSync(
      join(cwd, "body.json"),
      `${JSON.stringify(JSON.parse(String(requests[0]?.body)), null, 3)}\n`,
    );
    const changed = await exits(
      7,
      "webhooks",
      "verify",
      "--body",
      "body.json",
      "--headers",
      "headers.txt",
      ...secret,
    );
    expect(JSON.parse(changed.stdout).verdict).toBe("mismatch");

    const deliveries = await exits(0, "webhooks", "deliveries", "--endpoint", endpoint, "-q");
    expect(deliveries.stdout).toBe(`${id}\n`);
    const shown = JSON.parse((await exits(0, "webhooks", "deliveries", "show", id, "--json")).stdout);
    expect(shown).toMatchObject({ id, attempts: [{ responseStatus: 200 }] });
  });

  it("webhooks listen --register verifies the deliveries of the service, and revokes the endpoint at the end", async () => {
    const { sandbox, cwd, env } = await startVariedService(variation);
    const words = ["webhooks", "listen", "--register", "--port", "0", "--json", "--count", "2"];
    const listen = startCli([...words, "--record", "kept"], { env, cwd });
    const [ready] = await listen.waitForOutput(/^\{"event":"ready".*\}$/m);
    const { endpointId } = JSON.parse(ready);
    expect(await readStoredIds(sandbox, "endpoint")).toContain(endpointId);
    await sandbox.webhooks.emit({ type: "partner.capability.changed", data: { n: 1 } });
    await sandbox.webhooks.emit({ type: "partner.test" });
    const { code, stdout, stderr } = await listen.completion;
    expect(code, stderr).toBe(0);
    const events = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(
      events
        .slice(1)
        .map(({ verdict, eventType }) => [eventType, verdict])
        .toSorted(),
    ).toEqual([
      ["partner.capability.changed", "valid"],
      ["partner.test", "valid"],
    ]);
    const endpoint = (await readStoredRows(sandbox, "endpoint")).find(({ id }) => id === endpointId);
    expect(endpoint).toMatchObject({ status: "revoked" });
    const { file } = events.at(-1);
    const verify = ["webhooks", "verify", join("kept", file), "--json"];
    const secret = { ...env, CLAIMS_WEBHOOK_SECRET: String(endpoint?.secret) };
    expect(await runCli(verify, { env: secret, cwd })).toMatchObject({ code: 0 });
  });
});
