import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { logAliasUse, readAliasLog } from "../../../../../src/cli/connection/broker-aliases.ts";
import { createTerminalContext } from "../../../../support/terminal.ts";

it("logAliasUse rotates the log once when several writers run concurrently", async () => {
  const { context, stderr } = createTerminalContext();
  const state = join(context.env.CLAIMS_CONFIG_DIR ?? "", "state");
  mkdirSync(state, { recursive: true });
  const use = {
    ...{ at: "2026-11-20T10:00:00Z", baseUrl: "http://127.0.0.1:1", method: "GET", status: 200 },
    ...{ alias: "/broker/v1/clients", canonicalPath: "/v1/clients", lifecycle: "long_term" },
  };
  const full = `${JSON.stringify(use)}\n`.repeat(8_000);
  writeFileSync(join(state, "aliases.ndjson"), full);
  await Promise.all(Array.from({ length: 8 }, () => logAliasUse(context, use)));
  expect(stderr.text).toBe("");
  expect(await readAliasLog(context)).toHaveLength(8_008);
  expect(readFileSync(join(state, "aliases.1.ndjson"), "utf8").length).toBeGreaterThanOrEqual(full.length);
});
