import { inspect } from "node:util";
import { expect, type TestAPI, test } from "vitest";
import { PROBLEMS } from "../src/contract/problems.ts";
import { formatActivityLine } from "../src/domain/activity/activity-line.ts";
import { describeAttempt, redactUrl } from "../src/domain/activity/describe-attempt.ts";
import { describeRequest } from "../src/domain/activity/describe-request.ts";
import { usageError } from "../src/domain/errors.ts";
import { quoteValue } from "../src/domain/json.ts";
import type { LoggedRequest } from "./api/requests.ts";
import { checkFields, integer } from "./engine/check-fields.ts";
import { requireDeliveredCondition } from "./engine/webhooks/delivery-filter.ts";
import {
  type DeliveryCondition,
  type DeliveryDetails,
  type RequestCondition,
  type Sandbox,
  type SandboxOptions,
  startSandbox,
} from "./index.ts";

/** Lines of a failure message, and events of the timeline of a failed test. */
const MAX_LINES = 20;

/** Selects deliveries of any status. */
export type DeliveredCondition = Omit<DeliveryCondition, "status">;

export interface TimesOptions {
  /** Exactly this many. Default: at least one. */
  readonly times?: number;
}

declare module "vitest" {
  // biome-ignore lint/suspicious/noExplicitAny: declarations that are merged have the same parameters
  interface Matchers<T = any> {
    /**
     * The sandbox has received a request that meets the condition, when all due work has run:
     * `await expect(sandbox).toHaveReceived({ operation: "clients.create", status: 201 }, { times: 1 })`.
     */
    toHaveReceived(condition?: RequestCondition, options?: TimesOptions): Promise<void>;
    /**
     * The sandbox has delivered an event (its receiver answered 200–299), when all due work has run:
     * `await expect(sandbox).toHaveDelivered({ eventType: "partner.test" })`.
     */
    toHaveDelivered(condition?: DeliveredCondition, options?: TimesOptions): Promise<void>;
  }
}

export interface SandboxTestOptions extends SandboxOptions {
  /** One sandbox for each worker (default), which is reset before each test, or for each test, as `test.concurrent` needs. */
  readonly scope?: "worker" | "test";
  /**
   * `unexpected`: a test fails when the sandbox has answered 404, 405 or 422, unless a fault made that response, or a matcher,
   * `requests.list()` with a filter or `waitFor()` of the test has selected the request.
   */
  readonly failOn?: "unexpected";
}

/**
 * The `test` of vitest with a fixture `sandbox`, which starts with the first test that uses it, and prints its timeline when a
 * test fails. Adds the matchers to `expect`.
 *
 * @example
 * const test = sandboxTest({ frozenAt: "2026-11-20T00:00:00Z" });
 * test("a client is created once", async ({ sandbox }) => {
 *   await expect(sandbox).toHaveReceived({ operation: "clients.create" }, { times: 1 });
 * });
 */
export function sandboxTest({
  scope = "worker",
  failOn,
  ...options
}: SandboxTestOptions = {}): TestAPI<{ sandbox: Sandbox }> {
  requireChoice("scope", scope, ["worker", "test"]);
  requireChoice("failOn", failOn, ["unexpected", undefined]);
  expect.extend(sandboxMatchers);
  return test.extend<{ startedSandbox: Sandbox; sandbox: Sandbox }>({
    startedSandbox: [
      // biome-ignore lint/correctness/noEmptyPattern: vitest reads the names of the fixtures from it
      async ({}, use) => {
        const sandbox = await startSandbox(options);
        await use(sandbox);
        await sandbox.close();
      },
      { scope },
    ],
    sandbox: async ({ startedSandbox: sandbox, task, onTestFailed }, use) => {
      if (task.concurrent && scope === "worker")
        throw new Error(
          'tests that run at the same time cannot share a sandbox: write sandboxTest({ scope: "test" })',
        );
      if (scope === "worker") await sandbox.reset();
      // biome-ignore lint/suspicious/noConsole: vitest shows it with the test
      onTestFailed(async () => console.error(await sandbox.debug({ last: MAX_LINES })));
      const selected = new Set<number>();
      const given = failOn === undefined ? sandbox : watchSelections(sandbox, selected);
      const forgotten = new Set<{ readonly name: string }>();
      FORGOTTEN_MATCHERS.set(given, forgotten);
      await use(given);
      for (const { name } of forgotten)
        throw new Error(`${name}() has no effect without await: write \`await expect(sandbox).${name}(…)\``);
      if (failOn !== undefined) await refuseUnexpected(sandbox, selected);
    },
  });
}

function requireChoice(name: string, given: unknown, choices: readonly unknown[]): void {
  if (choices.includes(given)) return;
  throw usageError("validation_failed", `${name} of sandboxTest() cannot be ${quoteValue(given)}`, {
    hint: `give ${choices.filter(Boolean).join(" or ")}`,
  });
}

/** The sandbox, which notes the numbers of the requests that a condition selects. */
function watchSelections(sandbox: Sandbox, selected: Set<number>): Sandbox {
  const requests: Sandbox["requests"] = {
    ...sandbox.requests,
    async list(filter) {
      const found = await sandbox.requests.list(filter);
      if (Object.keys(filter ?? {}).length > 0) for (const { number } of found) selected.add(number);
      return found;
    },
  };
  const waitFor: Sandbox["waitFor"] = async (condition, waitOptions) => {
    const record = await sandbox.waitFor(condition, waitOptions);
    if ("request" in condition && "number" in record) selected.add(record.number);
    return record;
  };
  return new Proxy(sandbox, {
    get: (target, name) =>
      name === "requests" ? requests : name === "waitFor" ? waitFor : Reflect.get(target, name, target),
  });
}

/** What a service answers to a program that uses it wrongly. */
const UNEXPECTED_STATUSES: readonly (number | null)[] = [404, 405, 422];

/** A service with a mapping may send another one. */
const contractStatusOf = ({ problem, status }: LoggedRequest): number | null =>
  Object.entries(PROBLEMS).find(([code]) => code === problem?.code)?.[1].status ?? status;

async function refuseUnexpected({ idle, requests }: Sandbox, selected: ReadonlySet<number>): Promise<void> {
  await idle();
  const unexpected = (await requests.list()).filter(
    (request) =>
      UNEXPECTED_STATUSES.includes(contractStatusOf(request)) &&
      request.fault === null &&
      !selected.has(request.number),
  );
  if (unexpected.length === 0) return;
  const lines = unexpected.map((request) => formatActivityLine(describeRequest(request)));
  throw new Error(`the sandbox has answered what the test does not expect:\n${list(lines)}`);
}

/** The matchers that nobody has awaited yet, by the sandbox of the running test. */
const FORGOTTEN_MATCHERS = new WeakMap<object, Set<{ readonly name: string }>>();

/** For `expect.extend()`, also of jest; `sandboxTest()` calls it. */
export const sandboxMatchers = {
  toHaveReceived: (received: unknown, ...args: [condition?: RequestCondition, options?: TimesOptions]) =>
    noteAwait(received, "toHaveReceived", toHaveReceived(received, ...args)),
  toHaveDelivered: (received: unknown, ...args: [condition?: DeliveredCondition, options?: TimesOptions]) =>
    noteAwait(received, "toHaveDelivered", toHaveDelivered(received, ...args)),
};

interface MatcherResult {
  readonly pass: boolean;
  readonly message: () => string;
}

interface Findings {
  readonly verb: "received" | "delivered";
  readonly condition: object;
  readonly times: number | undefined;
  /** The lines of a failure message about the records that match. */
  readonly matching: readonly string[];
  /** Of everything, the matching ones too. */
  readonly all: readonly string[];
  /** A sentence for an empty `all`. */
  readonly nothing: string;
}

/**
 * The result of a matcher, with a `then` of its own: vitest calls it once, and gives the test what it returns. `await` calls
 * `then` of that, as it is no native promise.
 */
function noteAwait(received: unknown, name: string, result: Promise<MatcherResult>): Promise<MatcherResult> {
  const forgotten = FORGOTTEN_MATCHERS.get(Object(received));
  if (!forgotten) return result;
  const matcher = { name };
  forgotten.add(matcher);
  const then = (...handlers: Parameters<typeof result.then>) => {
    const checked = Promise.prototype.then.apply(result, handlers);
    // Without await, the test fails, and no later one by an unhandled rejection.
    checked.catch(() => undefined);
    const awaited = () => {
      forgotten.delete(matcher);
      return checked;
    };
    return {
      [Symbol.toStringTag]: "Promise",
      then: (...others: Parameters<typeof checked.then>) => awaited().then(...others),
      catch: (handler: Parameters<typeof checked.catch>[0]) => awaited().catch(handler),
      finally: (handler: Parameters<typeof checked.finally>[0]) => awaited().finally(handler),
    };
  };
  return Object.assign(result, { then }) as Promise<MatcherResult>;
}

async function toHaveReceived(
  received: unknown,
  condition: RequestCondition = {},
  options: TimesOptions = {},
): Promise<MatcherResult> {
  const { idle, requests } = requireSandbox(received);
  const times = parseTimes(options, "toHaveReceived()");
  refuseUndefinedFields(condition, "toHaveReceived()");
  await idle();
  const render = (request: Parameters<typeof describeRequest>[0]) =>
    formatActivityLine(describeRequest(request));
  return compare({
    verb: "received",
    condition,
    times,
    matching: (await requests.list(condition)).map(render),
    all: (await requests.list()).map(render),
    nothing: "it received no request",
  });
}

async function toHaveDelivered(
  received: unknown,
  condition: DeliveredCondition = {},
  options: TimesOptions = {},
): Promise<MatcherResult> {
  const { idle, webhooks } = requireSandbox(received);
  const times = parseTimes(options, "toHaveDelivered()");
  refuseUndefinedFields(condition, "toHaveDelivered()");
  requireDeliveredCondition(condition);
  await idle();
  const all = await Promise.all(
    [...(await webhooks.deliveries())].reverse().map(({ id }) => webhooks.delivery(id)),
  );
  const matching = all.filter(
    (delivery) =>
      delivery.status === "delivered" &&
      Object.entries(condition).every(([name, value]) => delivery[name as keyof DeliveryDetails] === value),
  );
  return compare({
    verb: "delivered",
    condition,
    times,
    matching: matching.map(renderDelivery),
    all: all.map(renderDelivery),
    nothing: "nothing was emitted, or no endpoint subscribes to it",
  });
}

const parseTimes = (options: unknown, what: string): number | undefined =>
  checkFields<TimesOptions>(options, { times: integer(0) }, { what, noun: "option" }).times;

/** Such a field is a variable that is not set: without it, the condition would be another one. */
function refuseUndefinedFields(condition: unknown, where: string): void {
  const [name] = Object.entries(condition ?? {}).find(([, value]) => value === undefined) ?? [];
  if (name === undefined) return;
  throw usageError("validation_failed", `${name} of the condition of ${where} is undefined`, {
    hint: "give it a value, or leave it out",
  });
}

function compare({ verb, condition, times, matching, all, nothing }: Findings): MatcherResult {
  const count = matching.length;
  const pass = times === undefined ? count > 0 : count === times;
  const what = [verb, inspect(condition, { breakLength: Number.POSITIVE_INFINITY })];
  if (times !== undefined) what.push(countTimes(times));
  const explain = (): string => {
    if (pass) return `expected the sandbox not to have ${what.join(" ")}, but it has:\n${list(matching)}`;
    const start = `expected the sandbox to have ${what.join(" ")}, but`;
    if (all.length === 0) return `${start} ${nothing}`;
    if (count === 0) return `${start} it has only:\n${list(all)}`;
    const isTooOften = times !== undefined && count > times;
    return isTooOften
      ? `${start} it has ${countTimes(count)}:\n${list(matching)}`
      : `${start} it has ${countTimes(count)}. All together:\n${list(all)}`;
  };
  return { pass, message: explain };
}

const countTimes = (count: number) => (count === 1 ? "once" : `${count} times`);

function list(lines: readonly string[]): string {
  const earlier = lines.length - MAX_LINES;
  const shown = lines.slice(-MAX_LINES).map((line) => `  ${line}`);
  return [...(earlier > 0 ? [`  … ${earlier} earlier`] : []), ...shown].join("\n");
}

/** The last attempt, or that there was none. */
function renderDelivery({ attempts, eventType, url, status, nextAttemptAt }: DeliveryDetails): string {
  const last = attempts.at(-1);
  if (!last) return `–    event ${eventType} to ${redactUrl(url)}  no attempt yet: ${status}`;
  return formatActivityLine(describeAttempt({ ...last, eventType, url, status, nextAttemptAt }));
}

function requireSandbox(received: unknown): Sandbox {
  if (typeof received === "object" && received !== null && "webhooks" in received) return received as Sandbox;
  throw new TypeError("expected a sandbox: `expect(sandbox)`, the value that startSandbox() resolves to");
}
