import { Buffer } from "node:buffer";
import { expect, it } from "vitest";
import { readManifest } from "../../../../../../../src/cli/commands/diligence/batch/manifest.ts";

it("a manifest may have 180,000 other columns", { tags: "large" }, () => {
  const names = Array.from({ length: 180_000 }, (_, index) => index.toString(36));
  const head = ["file", "seller", "protest_docs", ...names].join();
  const bytes = Buffer.from(`${head}\na.csv,Example,true${",".repeat(names.length)}\n`);
  const defaults = { seller: undefined, protestDocs: false, check: "warn" } as const;
  const { rows, extraColumns } = readManifest(bytes, "manifest.csv", "/", defaults);
  expect(rows).toHaveLength(1);
  // One of the names is that of a result, which the batch writes itself.
  expect(extraColumns).toEqual(names.filter((name) => name !== "key"));
});
