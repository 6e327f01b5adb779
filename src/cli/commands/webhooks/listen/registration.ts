import { randomUUID } from "node:crypto";
import { ClaimsError, rejectedError, unreachableError, usageError } from "../../../../domain/errors.ts";
import { findErrorCode, isLoopback } from "../../../../domain/net.ts";
import { EVENT_TYPES } from "../../../../domain/webhooks/event-types.ts";
import { resolveConnection } from "../../../connection/connection.ts";
import { parseJsonResponse } from "../../../connection/json-response.ts";
import { fetchSandboxState } from "../../../connection/sandbox-health.ts";
import { openConnection } from "../../../connection/service.ts";
import type { Context } from "../../../context.ts";
import type { BaseInvocation } from "../../../framework/command.ts";
import { printMessage } from "../../../output/stderr.ts";
import { idOf } from "../../../records/paged-list.ts";
import { type ControlClient, findPresentControl } from "../../../sandbox-control/control.ts";
import { describeJsonWrite } from "../../../write-log/describe-write.ts";
import { sendLogged } from "../../../write-log/send-logged.ts";
import { findSecrets } from "../create/created-endpoint.ts";
import type { KeptSecret } from "./kept-secret.ts";

const WATCH_INTERVAL_MS = 1_500;
const END_TIMEOUT_MS = 5_000;
const STATE_CHANGED = "the state of the sandbox has changed";

/** What a listener knows of its endpoint: enough to find out later whether an endpoint with its id is still that one. */
interface OwnEndpoint {
  readonly id: string;
  readonly label: string;
  readonly url: string;
  /** Of the state that has it. */
  readonly instance: string;
  readonly secret: string;
}

interface ListenerAddress {
  readonly url: string;
  /** Null stands for all published events. */
  readonly events: readonly string[] | null;
}

interface RegistrationOptions {
  readonly call: BaseInvocation;
  readonly baseUrl: string;
  readonly address: ListenerAddress;
  readonly kept: KeptSecret | null;
  /** Gets each secret that deliveries may be signed with. */
  readonly addSecret: (secret: string) => void;
  readonly onError: (error: Error) => void;
}

/**
 * The endpoint of a listener. The sandbox may be reset, load a snapshot, restart or stop meanwhile: then the listener registers
 * again, or says why nothing arrives.
 */
export class Registration {
  readonly #context: Context;
  readonly #options: RegistrationOptions;
  readonly #ended = new AbortController();
  #own: OwnEndpoint;
  #problem: string | null = null;
  /** The state in which this listener could not register, and does not try again. */
  #failedInstance: string | null = null;
  readonly #watching: Promise<void>;

  private constructor(context: Context, options: RegistrationOptions, own: OwnEndpoint) {
    this.#context = { ...context, signal: AbortSignal.any([context.signal, this.#ended.signal]) };
    this.#options = options;
    this.#own = own;
    options.addSecret(own.secret);
    this.#watching = this.#watch().catch((error: Error) => {
      if (!this.#context.signal.aborted) options.onError(error);
    });
  }

  /** @throws ClaimsError `secret_mismatch` if the secret in the file is that of no endpoint at this URL */
  static async open(context: Context, options: RegistrationOptions): Promise<Registration> {
    const { call, address, kept } = options;
    if (kept === null || kept.secret === null) {
      const own = await createEndpoint(context, call, address, kept ? KEPT_LABEL : LABEL);
      await kept?.destination.write(own.secret);
      return new Registration(context, options, own);
    }
    const own = await adoptEndpoint(context, call, address, kept.secret);
    if (own) return new Registration(context, options, own);
    throw secretMismatchError(kept.file, address.url);
  }

  get id(): string {
    return this.#own.id;
  }

  /** Why no delivery arrives; null while the endpoint is registered. */
  get problem(): string | null {
    return this.#problem;
  }

  /** Ends the own endpoint, and no other one that got its id. Also after Ctrl-C. A failure is only a warning. */
  async end(): Promise<void> {
    this.#ended.abort();
    await this.#watching;
    const { id, label } = this.#own;
    // With a file, the user created it, and it may have another receiver later.
    if (this.#options.kept && label !== KEPT_LABEL) return;
    const context = { ...this.#context, signal: AbortSignal.timeout(END_TIMEOUT_MS) };
    const status = statusAfter(label);
    try {
      const { control, instance, endpoints } = await readSandbox(context, this.#options.baseUrl);
      const endpoint = findOwn(endpoints, instance, this.#own);
      if (!endpoint) printMessage(context, `left endpoint ${id} alone: ${STATE_CHANGED}`);
      else if (endpoint.status === "active") await setStatus(control, id, status);
    } catch (error) {
      if (!(error instanceof ClaimsError)) throw error;
      printMessage(context, `warning: endpoint ${id} was not ${status}: ${error.message}`);
    }
  }

  async #watch(): Promise<void> {
    const { sleep, signal } = this.#context;
    for (;;) {
      await sleep(WATCH_INTERVAL_MS, signal);
      try {
        await this.#check();
      } catch (error) {
        if (!(error instanceof ClaimsError) || signal.aborted) throw error;
        this.#setProblem(error.message);
      }
    }
  }

  async #check(): Promise<void> {
    const { instance, endpoints } = await readSandbox(this.#context, this.#options.baseUrl);
    const endpoint = findOwn(endpoints, instance, this.#own);
    if (!endpoint) {
      if (instance !== this.#failedInstance) await this.#registerAgain(instance);
    } else if (endpoint.status !== "active")
      this.#setProblem(`endpoint ${endpoint.id} is ${endpoint.status}`);
    else {
      if (this.#problem !== null) printMessage(this.#context, `endpoint ${endpoint.id} is active again`);
      this.#problem = null;
    }
  }

  async #registerAgain(instance: string): Promise<void> {
    try {
      this.#own = await this.#recreate();
    } catch (error) {
      // A sandbox that starts writes its state file, with its token, after it listens.
      const isStarting =
        error instanceof ClaimsError &&
        (error.kind === "unreachable" || error.code === "control_token_invalid");
      if (!isStarting) this.#failedInstance = instance;
      throw error;
    }
    this.#problem = null;
    const { id, secret } = this.#own;
    this.#options.addSecret(secret);
    printMessage(this.#context, `registered again as endpoint ${id}: ${STATE_CHANGED}`);
  }

  /** The app has the secret of the file, and after a reset, the secrets of a sandbox come again. */
  async #recreate(): Promise<OwnEndpoint> {
    const { call, address, kept, baseUrl } = this.#options;
    if (!kept) return createEndpoint(this.#context, call, address, LABEL);
    const { secret } = this.#own;
    const adopted = await adoptEndpoint(this.#context, call, address, secret);
    if (adopted) return adopted;
    const created = await createEndpoint(this.#context, call, address, KEPT_LABEL);
    if (created.secret === secret) return created;
    const { control } = await readSandbox(this.#context, baseUrl);
    await setStatus(control, created.id, "revoked");
    throw secretMismatchError(kept.file, address.url);
  }

  #setProblem(problem: string): void {
    const isFirst = this.#problem === null;
    this.#problem = problem;
    if (isFirst) printMessage(this.#context, `warning: this listener is no longer registered: ${problem}`);
  }
}

const secretMismatchError = (file: string, url: string): ClaimsError =>
  usageError("secret_mismatch", `the secret in ${file} is that of no endpoint at ${url}`, {
    hint: `remove ${file} and start again: the secret of a new endpoint is then written there, for your app too`,
  });

/** @throws ClaimsError `not_local` */
export async function requireLocalSandbox(context: Context, call: BaseInvocation) {
  const connection = await resolveConnection(context, call);
  if (await findPresentControl(context, connection.baseUrl)) return connection;
  const message = `--register needs a sandbox on this machine; ${connection.baseUrl} is not one`;
  const hint =
    "make this listener reachable, run `claims webhooks create` with its URL and --secret-file, and listen with that secret";
  throw rejectedError("not_local", message, { hint });
}

/** @throws ClaimsError `unreachable` without a sandbox at the address */
async function readSandbox(context: Context, baseUrl: string) {
  const hint = "`claims sandbox status` shows its state";
  const state = await fetchSandboxState(context, baseUrl).catch((cause: unknown) => {
    const message = `the sandbox at ${baseUrl} does not respond (${findErrorCode(cause)})`;
    throw unreachableError("unreachable", message, { hint, cause });
  });
  // A sandbox that starts writes its locator after it listens.
  const control = state && (await findPresentControl(context, baseUrl));
  if (!control)
    throw unreachableError("unreachable", `what responds at ${baseUrl} is no sandbox that has started`, {
      hint,
    });
  return { control, instance: state.instanceId, endpoints: await control.list("GET /endpoints") };
}

type SandboxView = Awaited<ReturnType<typeof readSandbox>>;

/** The label of an endpoint that ends with its listener. */
const LABEL = "claims listen";

/** The label of one that is disabled meanwhile, because its secret is in a file, which a later listener may name. */
const KEPT_LABEL = "claims listen --secret-file";

const statusAfter = (label: string) => (label === KEPT_LABEL ? "disabled" : "revoked");

/** Creates an endpoint, after those of killed listeners at this URL. */
async function createEndpoint(
  context: Context,
  call: BaseInvocation,
  { url, events }: ListenerAddress,
  label: string,
): Promise<OwnEndpoint> {
  const connection = await resolveConnection(context, call);
  const sandbox = await readSandbox(context, connection.baseUrl);
  await endAbandoned(context, sandbox, url);
  const service = await openConnection(context, call, connection, {});
  const operation = service.operations.webhooks.create;
  const environmentScope = connection.environment;
  const json = { label, url, subscribedEvents: [...(events ?? EVENT_TYPES)], environmentScope };
  // A new key each time: an earlier listener may have created an endpoint without learning its secret.
  const write = describeJsonWrite(operation.id, json);
  const options = { idempotencyKey: randomUUID() };
  // An error of the listener later loses nothing of this write: the endpoint ends with the listener, or its secret is in a file.
  const separate = { ...context, sentWrites: new Map() };
  const answer = await sendLogged(separate, service, write, options, (key) =>
    service.client.send(operation, { json, idempotencyKey: key }),
  );
  const [found] = findSecrets(parseJsonResponse(answer, "the new endpoint"));
  const id = found ? idOf(found.endpoint) : null;
  if (found && id !== null) return { id, label, url, instance: sandbox.instance, secret: found.secret };
  throw rejectedError("response_incomplete", "the response for the new endpoint has no signingSecret", {
    hint: "the interface promises one (§2): the versions of this program and the sandbox differ",
  });
}

/**
 * The endpoint at this listener that has the secret, made active; null if there is none.
 *
 * @throws ClaimsError `option_conflict` if it gets other events
 */
async function adoptEndpoint(
  context: Context,
  call: BaseInvocation,
  { url, events }: ListenerAddress,
  secret: string,
): Promise<OwnEndpoint | null> {
  const { baseUrl } = await resolveConnection(context, call);
  const { control, instance, endpoints } = await readSandbox(context, baseUrl);
  const found = endpoints.find(
    ({ status, ...endpoint }) =>
      status !== "revoked" && isSameReceiver(endpoint.url, url) && secret.startsWith(endpoint.secretPrefix),
  );
  if (!found) return null;
  const { id, label, subscribedEvents } = found;
  if (events && events.toSorted().join() !== subscribedEvents.toSorted().join())
    throw usageError("option_conflict", `endpoint ${id} gets ${subscribedEvents.join(", ")}`, {
      hint: "leave out --event, or name another --secret-file for an endpoint that gets them",
    });
  if (found.status === "disabled") await setStatus(control, id, "active");
  return { id, label, url: found.url, instance, secret };
}

/** Whether deliveries to a URL reach this listener, which takes them at any path. */
function isSameReceiver(endpointUrl: string, listener: string): boolean {
  const [one, other] = [new URL(endpointUrl), new URL(listener)];
  const isSameHost =
    one.hostname === other.hostname || [one, other].every(({ hostname }) => isLoopback(hostname));
  return one.protocol === other.protocol && one.port === other.port && isSameHost;
}

/** None if the state has changed since: then an endpoint with that id is another one. */
const findOwn = (endpoints: SandboxView["endpoints"], instance: string, own: OwnEndpoint) =>
  instance === own.instance
    ? endpoints.find(({ id, label, url }) => id === own.id && label === own.label && url === own.url)
    : undefined;

const setStatus = (control: ControlClient, id: string, status: "active" | "disabled" | "revoked") =>
  control.fetch("POST /endpoints/{id}/status", { params: { id }, body: { status } });

/** A listener at this URL that was killed could not end its endpoint. */
async function endAbandoned(context: Context, { control, endpoints }: SandboxView, ownUrl: string) {
  for (const { id, label, status, url } of endpoints) {
    if (url !== ownUrl || status !== "active" || (label !== LABEL && label !== KEPT_LABEL)) continue;
    const change = statusAfter(label);
    await setStatus(control, id, change);
    printMessage(context, `${change} endpoint ${id} of a listener that is no longer running`);
  }
}
