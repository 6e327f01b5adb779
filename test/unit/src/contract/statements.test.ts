import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ROOT } from "../../../support/cli.ts";
import { digestStatements } from "./interface-statements.ts";
import { listStatements } from "./list-statements.ts";

/** The interface is not part of this repository. Each line has the digest of a statement and its ids. */
const LINES = readFileSync(join(import.meta.dirname, "interface-statements.txt"), "utf8")
  .trim()
  .split("\n")
  .map((line) => line.split(" "));

const { CLAIMS_INTERFACE: INTERFACE = join(ROOT, "..", "shared", "interface.md") } = process.env;

const statements = listStatements();

describe("the register of interface statements", () => {
  it.skipIf(!existsSync(INTERFACE))("lists every statement of the interface in order", () => {
    expect(LINES.map(([digest]) => digest)).toEqual(digestStatements(readFileSync(INTERFACE, "utf8")));
  });

  it("has an id for every statement, and no unknown id", () => {
    for (const [digest, ...ids] of LINES) expect(ids, digest).not.toEqual([]);
    const ids = LINES.flatMap(([, ...ids]) => ids);
    expect([...new Set(ids)].sort()).toEqual(statements.map(({ id }) => id).sort());
  });

  it.each(statements)(
    "contains $id with its section, text and citing operations or assumptions",
    ({ kind, section, text, operations, assumptions }) => {
      expect(section).toMatch(/^(§\d(\.\d)?|Preamble)$/);
      expect(text).toMatch(/^\S.*\.$/);
      if (kind === "contract") expect(operations).not.toEqual([]);
      if (kind === "open") expect(assumptions).toBeGreaterThan(0);
      if (kind === "context") expect([operations, assumptions]).toEqual([[], 0]);
    },
  );
});
