import { describe, expect, it } from "vitest";
import { CAUSES, explain } from "../../../../../../src/signature.ts";
import { type Delivery, FAULTS, type Fault, GENUINE, toInput } from "./faults.ts";

const explained = (delivery: Delivery): string[] =>
  explain(toInput(delivery))
    .causes.map(({ id, certainty }) => `${id} ${certainty}`)
    .sort();

const hasId = (cause: string): boolean => Object.hasOwn(CAUSES, cause.split(" ")[0] ?? "");
/** Rows that precede their causes: each fails here once its cause is named, and then belongs to the others. */
const PENDING: readonly string[] = [
  "0x before the digits",
  "20 digits of something else",
  "CR in place of CRLF",
  "CR in place of LF",
  "LF in place of CR",
  "JSON sent with curl's default type, the secret of another",
  "the same value twice",
  "without its last bracket",
  "without its last brackets",
];
const isKnown = ({ name, causes }: Fault): boolean => causes.every(hasId) && !PENDING.includes(name);
const known = FAULTS.filter(isKnown);
const unknown = FAULTS.filter((each) => !isKnown(each));

describe("the fault table", () => {
  it("has at least 120 faults of different names, none of which verifies", () => {
    expect(FAULTS.length).toBeGreaterThanOrEqual(120);
    expect(new Set(FAULTS.map(({ name }) => name)).size).toBe(FAULTS.length);
    expect(explain(toInput(GENUINE)).verdict).toBe("valid");
    for (const { name, delivery } of FAULTS)
      expect(explain(toInput(delivery)).verdict, name).not.toBe("valid");
  });
});

describe("explain names this cause and no other", () => {
  it.each(known.map((each) => [each.name, each] as const))("%s", (_, { delivery, causes }) => {
    expect(explained(delivery)).toEqual(causes);
  });

  if (unknown.length > 0)
    it.fails.each(unknown.map((each) => [each.name, each] as const))("%s", (_, { delivery, causes }) => {
      expect(explained(delivery)).toEqual(causes);
    });
});
