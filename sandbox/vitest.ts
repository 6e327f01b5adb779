import { inspect } from "node:util";
import { expect, type TestAPI, test } from "vitest";
import { formatActivityLine } from "../src/contract/activity/activity-line.ts";
import { describeAttempt, describeRequest } from "../src/contract/activity/describe-event.ts";
import { PROBLEMS } from "../src/contract/problems.ts";
import { usageError } from "../src/domain/errors.ts";
import { redactUrl } from "../src/domain/net.ts";
import type { LoggedRequest } from "./api/requests.ts";
import { checkFields, type FieldChecks, integer, word } from "./engine/check-fields.ts";
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
  checkFields({ scope, failOn }, FIXTURE_OPTIONS, { what: "sandboxTest()", noun: "option" });
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
      await use(failOn === undefined ? sandbox : watchSelections(sandbox, selected));
      if (failOn !== undefined) await refuseUnexpected(sandbox, selected);
    },
  });
}

const FIXTURE_OPTIONS: FieldChecks<Pick<SandboxTestOptions, "scope" | "failOn">> = {
  scope: word(["worker", "test"]),
  failOn: word(["unexpected"]),
};

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
  const lines = list(unexpected.map(renderRequest));
  throw new Error(`the sandbox has answered what the test does not expect:\n${lines}`);
}

interface MatcherResult {
  readonly pass: boolean;
  readonly message: () => string;
}

interface Findings {
  /** As in `received { status: 201 }`. */
  readonly what: string;
  readonly times: number | undefined;
  /** The lines of a failure message about the records that match. */
  readonly matching: readonly string[];
  /** Of everything, the matching ones too. */
  readonly all: readonly string[];
  /** A sentence for an empty `all`. */
  readonly nothing: string;
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
  return compare({
    what: `received ${quoteCondition(condition)}`,
    times,
    matching: (await requests.list(condition)).map(renderRequest),
    all: (await requests.list()).map(renderRequest),
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
  const deliveries = (await webhooks.deliveries()).toReversed();
  const all = await Promise.all(deliveries.map(({ id }) => webhooks.delivery(id)));
  const wanted = Object.entries({ ...condition, status: "delivered" });
  const matching = all.filter((delivery) =>
    wanted.every(([name, value]) => delivery[name as keyof DeliveryDetails] === value),
  );
  return compare({
    what: `delivered ${quoteCondition(condition)}`,
    times,
    matching: matching.map(renderDelivery),
    all: all.map(renderDelivery),
    nothing: "nothing was emitted, or no endpoint subscribes to it",
  });
}

/** For `expect.extend()`, also of jest; `sandboxTest()` calls it. */
export const sandboxMatchers = { toHaveReceived, toHaveDelivered };

const quoteCondition = (condition: object): string =>
  inspect(condition, { breakLength: Number.POSITIVE_INFINITY });

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

function compare({ what, times, matching, all, nothing }: Findings): MatcherResult {
  const count = matching.length;
  const wanted = times === undefined ? what : `${what} ${countTimes(times)}`;
  if (times === undefined ? count > 0 : count === times)
    return {
      pass: true,
      message: () => `expected the sandbox not to have ${wanted}, but it has:\n${list(matching)}`,
    };
  const explain = (): string => {
    if (all.length === 0) return nothing;
    if (count === 0) return `it has only:\n${list(all)}`;
    return times !== undefined && count > times
      ? `it has ${countTimes(count)}:\n${list(matching)}`
      : `it has ${countTimes(count)}. All together:\n${list(all)}`;
  };
  return { pass: false, message: () => `expected the sandbox to have ${wanted}, but ${explain()}` };
}

const countTimes = (count: number) => (count === 1 ? "once" : `${count} times`);

function list(lines: readonly string[]): string {
  const earlier = lines.length - MAX_LINES;
  const shown = lines.slice(-MAX_LINES).map((line) => `  ${line}`);
  return [...(earlier > 0 ? [`  … ${earlier} earlier`] : []), ...shown].join("\n");
}

const renderRequest = (request: LoggedRequest): string => formatActivityLine(describeRequest(request));

/** The last attempt, or that there was none. */
function renderDelivery({
  attempts,
  eventType,
  status,
  nextAttemptAt,
  ...delivery
}: DeliveryDetails): string {
  const last = attempts.at(-1);
  const url = redactUrl(delivery.url);
  if (!last) return `–    event ${eventType} to ${url}  no attempt yet: ${status}`;
  return formatActivityLine(describeAttempt({ ...last, eventType, url, status, nextAttemptAt }));
}

function requireSandbox(received: unknown): Sandbox {
  if (typeof received === "object" && received !== null && "webhooks" in received) return received as Sandbox;
  throw new TypeError("expected a sandbox: `expect(sandbox)`, the value that startSandbox() resolves to");
}
