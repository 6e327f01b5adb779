import { ServerResponse } from "node:http";
import { afterEach, expect } from "vitest";
import { brokenInvariants } from "./cli-invariants.ts";
import { exchangeOf, violations } from "./contract-tap.ts";

// Every answer that a sandbox in this process gives, in any test, is held against the OpenAPI document by ajv.
const TAPPED = Symbol.for("claims-toolkit.contract-tap");

// Without isolation this file runs once for every test file of a worker; the tap must be there once.
if (!(TAPPED in ServerResponse.prototype)) tap();

function tap(): void {
  const { write, end } = ServerResponse.prototype;
  Object.defineProperty(ServerResponse.prototype, TAPPED, { value: true });
  ServerResponse.prototype.write = function (this: ServerResponse, ...args: unknown[]) {
    exchangeOf(this).take(args[0]);
    return Reflect.apply(write, this, args);
  } as typeof write;
  ServerResponse.prototype.end = function (this: ServerResponse, ...args: unknown[]) {
    const exchange = exchangeOf(this);
    exchange.take(args[0]);
    this.once("finish", () => exchange.judge());
    return Reflect.apply(end, this, args);
  } as typeof end;
}

afterEach(() => {
  expect(brokenInvariants.splice(0), "promises of product.md that a run of the command line broke").toEqual(
    [],
  );
  expect(violations.splice(0), "answers that the OpenAPI document does not allow").toEqual([]);
});
