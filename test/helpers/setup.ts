import { ServerResponse } from "node:http";
import { afterEach, expect } from "vitest";
import { exchangeOf, violations } from "./contract-tap.ts";

// Every answer that a sandbox in this process gives, in any test, is held against the OpenAPI document by ajv.
const { write, end } = ServerResponse.prototype;

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

afterEach(() => {
  expect(violations.splice(0), "answers that the OpenAPI document does not allow").toEqual([]);
});
