import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { listStatements } from "../../../../src/contract/statements.ts";
import { ROOT } from "../../../support/cli.ts";
import { digestStatements } from "./interface-statements.ts";

/** The document itself is not part of this repository; each line is the digest of a statement, and its ids. */
const LISTED = readFileSync(join(import.meta.dirname, "interface-statements.txt"), "utf8")
  .trim()
  .split("\n")
  .map((line) => line.split(" "));

const { CLAIMS_INTERFACE: INTERFACE = join(ROOT, "..", "shared", "interface.md") } = process.env;

const statements = listStatements();

describe("the register of the interface", () => {
  it.skipIf(!existsSync(INTERFACE))("lists every statement of the interface, in its order", () => {
    expect(LISTED.map(([digest]) => digest)).toEqual(digestStatements(readFileSync(INTERFACE, "utf8")));
  });

  it("has a row for every statement of the interface, and no other row", () => {
    for (const [digest, ...ids] of LISTED) expect(ids, digest).not.toEqual([]);
    const ids = LISTED.flatMap(([, ...ids]) => ids);
    expect([...new Set(ids)].sort()).toEqual(statements.map(({ id }) => id).sort());
  });

  it.each(statements)(
    "$id is cited by what it stands for",
    ({ kind, section, text, operations, assumptions }) => {
      expect(section).toMatch(/^(§\d(\.\d)?|Preamble)$/);
      expect(text).toMatch(/^\S.*\.$/);
      if (kind === "contract") expect(operations).not.toEqual([]);
      if (kind === "open") expect(assumptions).toBeGreaterThan(0);
      if (kind === "context") expect([operations, assumptions]).toEqual([[], 0]);
    },
  );
});
