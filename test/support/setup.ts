import { existsSync } from "node:fs";
import { ServerResponse } from "node:http";
import { setInterval } from "node:timers";
import { afterEach, expect } from "vitest";
import { broken, judgeProcesses } from "./cli-invariants.ts";
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

// Promise 4: no secret in `ps`, during the whole run.
const WATCHED = Symbol.for("claims-toolkit.process-watch");
if (existsSync("/proc/self/cmdline") && !(WATCHED in globalThis)) {
  Object.defineProperty(globalThis, WATCHED, { value: setInterval(judgeProcesses, 100).unref() });
}

afterEach(() => {
  expect(broken.splice(0), "promises of product.md that a run of the program broke").toEqual([]);
  expect(violations.splice(0), "answers that the OpenAPI document does not allow").toEqual([]);
});
