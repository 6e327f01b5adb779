import { ServerResponse } from "node:http";
import { afterEach, expect } from "vitest";
import { brokenInvariants } from "./cli-invariants.ts";
import { getExchange, violations } from "./contract-tap.ts";
import { processorTimeSince, readProcessorTime } from "./processor-time.ts";

// ajv validates every response of every sandbox in this process against the OpenAPI document.
const TAPPED = Symbol.for("claims-toolkit.contract-tap");

// Without isolation, this file runs once for every test file of a worker, but the tap must be installed once.
if (!(TAPPED in ServerResponse.prototype)) installTap();

function installTap(): void {
  const { write, end } = ServerResponse.prototype;
  Object.defineProperty(ServerResponse.prototype, TAPPED, { value: true });
  ServerResponse.prototype.write = function (this: ServerResponse, ...args: unknown[]) {
    getExchange(this).addChunk(args[0]);
    return Reflect.apply(write, this, args);
  } as typeof write;
  ServerResponse.prototype.end = function (this: ServerResponse, ...args: unknown[]) {
    const exchange = getExchange(this);
    exchange.addChunk(args[0]);
    this.once("finish", () => exchange.check());
    return Reflect.apply(end, this, args);
  } as typeof end;
}

afterEach(() => {
  expect(brokenInvariants.splice(0), "invariants of product.md that a run of the command line broke").toEqual(
    [],
  );
  expect(violations.splice(0), "responses that the OpenAPI document does not allow").toEqual([]);
});

// `npm run test:cost` measures from here to the end of the file's last test. Reading the time after each of 6,000 tests costs seconds.
if (process.env.CLAIMS_TEST_COST) {
  const startTime = readProcessorTime();
  afterEach(({ task }) => {
    task.file.meta.processorTime = processorTimeSince(startTime);
  });
}
