import { randomUUID } from "node:crypto";
import { ClaimsError, rejectedError, unreachableError, usageError } from "../../../../domain/errors.ts";
import { findErrorCode } from "../../../../domain/net.ts";
import { KEPT_LISTENER_LABEL } from "../../../../domain/webhooks/endpoints.ts";
import { EVENT_TYPES } from "../../../../domain/webhooks/event-types.ts";
import { isSameService } from "../../../connection/base-url.ts";
import { resolveConnection } from "../../../connection/connection.ts";
import { parseJsonResponse } from "../../../connection/json-response.ts";
import { fetchSandboxState } from "../../../connection/sandbox-health.ts";
import { openConnection } from "../../../connection/service.ts";
import type { Context } from "../../../context.ts";
import type { BaseInvocation } from "../../../framework/command.ts";
import { printMessage } from "../../../output/stderr.ts";
import { idOf } from "../../../records/paged-list.ts";
import { findControl } from "../../../sandbox-control/control.ts";
import { describeJsonWrite } from "../../../write-log/describe-write.ts";
import { sendLogged } from "../../../write-log/send-logged.ts";
import { findSecrets } from "../create/created-endpoint.ts";
import type { KeptSecret } from "../create/secret-destination.ts";

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

interface RegistrationOptions {
  readonly call: BaseInvocation;
  readonly baseUrl: string;
  /** Of the listener, for senders. */
  readonly url: string;
  /** Null stands for all published events. */
  readonly events: readonly string[] | null;
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
  #own: OwnEndpoint | null = null;
  #problem: string | null = null;
  /** The state in which this listener could not register, and does not try again. */
  #failedInstance: string | null = null;
  #watching: Promise<void> = Promise.resolve();

  private constructor(context: Context, options: RegistrationOptions) {
    this.#context = { ...context, signal: AbortSignal.any([context.signal, this.#ended.signal]) };
    this.#options = options;
  }

  /** @throws ClaimsError `secret_mismatch` if the secret in the file is that of no endpoint at this URL */
  static async open(context: Context, options: RegistrationOptions): Promise<Registration> {
    const registration = new Registration(context, options);
    await registration.#register(await readSandbox(registration.#context, options.baseUrl));
    registration.#watching = registration.#watch().catch((error: Error) => {
      if (!registration.#context.signal.aborted) options.onError(error);
    });
    return registration;
  }

  /** Why no delivery arrives; null while the endpoint is registered. */
  get problem(): string | null {
    return this.#problem;
  }

  get id(): string | null {
    return this.#own?.id ?? null;
  }

  /** Ends the own endpoint, and no other one that got its id. Also after Ctrl-C. A failure is only a warning. */
  async end(): Promise<void> {
    this.#ended.abort();
    await this.#watching;
    // With a file, the user created it, and it may have another receiver later.
    if (!this.#own || (this.#options.kept && this.#own.label !== KEPT_LISTENER_LABEL)) return;
    const { id, label } = this.#own;
    const context = { ...this.#context, signal: AbortSignal.timeout(END_TIMEOUT_MS) };
    const status = statusAfter(label);
    try {
      const sandbox = await readSandbox(context, this.#options.baseUrl);
      const endpoint = this.#findOwn(sandbox);
      if (!endpoint) printMessage(context, `left endpoint ${id} alone: ${STATE_CHANGED}`);
      else if (endpoint.status === "active") await setStatus(sandbox, id, status);
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
    const sandbox = await readSandbox(this.#context, this.#options.baseUrl);
    const endpoint = this.#findOwn(sandbox);
    if (!endpoint) {
      if (sandbox.instance !== this.#failedInstance) await this.#registerAgain(sandbox);
    } else if (endpoint.status !== "active")
      this.#setProblem(`endpoint ${endpoint.id} is ${endpoint.status}`);
    else {
      if (this.#problem !== null) printMessage(this.#context, `endpoint ${endpoint.id} is active again`);
      this.#problem = null;
    }
  }

  async #registerAgain(sandbox: SandboxView): Promise<void> {
    try {
      await this.#register(sandbox);
    } catch (error) {
      // A sandbox that starts writes its locator file, with its token, after it listens.
      const isStarting =
        error instanceof ClaimsError &&
        (error.kind === "unreachable" || error.code === "control_token_invalid");
      if (!isStarting) this.#failedInstance = sandbox.instance;
      throw error;
    }
    this.#problem = null;
    printMessage(this.#context, `registered again as endpoint ${this.id}: ${STATE_CHANGED}`);
  }

  async #register(sandbox: SandboxView): Promise<void> {
    this.#own = await this.#obtain(sandbox);
    this.#options.addSecret(this.#own.secret);
  }

  /** A new endpoint; with a file, the one whose secret is in it. */
  async #obtain(sandbox: SandboxView): Promise<OwnEndpoint> {
    const { kept, url } = this.#options;
    if (!kept) return this.#create(sandbox, LABEL);
    const secret = this.#own?.secret ?? kept.secret;
    if (secret === null) {
      const created = await this.#create(sandbox, KEPT_LISTENER_LABEL);
      if (kept.secret === null) await kept.destination.write(created.secret);
      return created;
    }
    const adopted = await this.#adopt(sandbox, secret);
    if (adopted) return adopted;
    // After a reset, the secrets of a sandbox come again.
    const again = this.#own && (await this.#create(sandbox, KEPT_LISTENER_LABEL));
    if (again?.secret === secret) return again;
    if (again) await setStatus(sandbox, again.id, "revoked");
    throw usageError("secret_mismatch", `the secret in ${kept.file} is that of no endpoint at ${url}`, {
      hint: `remove ${kept.file} and start again: the secret of a new endpoint is then written there, for your app too`,
    });
  }

  /** Creates an endpoint, after those of killed listeners at this URL. */
  async #create(sandbox: SandboxView, label: string): Promise<OwnEndpoint> {
    const { call, url, events } = this.#options;
    const connection = await resolveConnection(this.#context, call);
    await endAbandoned(this.#context, sandbox, url);
    const service = await openConnection(this.#context, call, connection, {});
    const operation = service.operations.webhooks.create;
    const environmentScope = connection.environment;
    const json = { label, url, subscribedEvents: [...(events ?? EVENT_TYPES)], environmentScope };
    // A new key each time: an earlier listener may have created an endpoint without learning its secret.
    const write = describeJsonWrite(operation.id, json);
    const options = { idempotencyKey: randomUUID() };
    // An error of the listener later loses nothing of this write: the endpoint ends with the listener, or its secret is in a file.
    const separate = { ...this.#context, sentWrites: new Map() };
    const answer = await sendLogged(separate, service, write, options, (key) =>
      service.client.send(operation, { json, idempotencyKey: key }),
    );
    const [found] = findSecrets(parseJsonResponse(answer, "the new endpoint"));
    const id = found ? idOf(found.endpoint) : null;
    if (found && id !== null) {
      // Read afterwards: the state may have changed while the endpoint was created, and then has it, or is found to lack it.
      const instance = await readInstance(this.#context, this.#options.baseUrl);
      return { id, label, url, instance, secret: found.secret };
    }
    throw rejectedError("response_incomplete", "the response for the new endpoint has no signingSecret", {
      hint: "the interface promises one (§2): the versions of this program and the sandbox differ",
    });
  }

  /**
   * The endpoint at this listener that has the secret, made active; null if there is none.
   *
   * @throws ClaimsError `option_conflict` if it gets other events
   */
  async #adopt(sandbox: SandboxView, secret: string): Promise<OwnEndpoint | null> {
    const { url, events } = this.#options;
    const found = sandbox.endpoints.find(
      ({ status, ...endpoint }) =>
        status !== "revoked" && isSameReceiver(endpoint.url, url) && secret.startsWith(endpoint.secretPrefix),
    );
    if (!found) return null;
    const { id, label, subscribedEvents } = found;
    if (events && events.toSorted().join() !== subscribedEvents.toSorted().join())
      throw usageError("option_conflict", `endpoint ${id} gets ${subscribedEvents.join(", ")}`, {
        hint: "leave out --event, or name another --secret-file for an endpoint that gets them",
      });
    if (found.status === "disabled") await setStatus(sandbox, id, "active");
    return { id, label, url: found.url, instance: sandbox.instance, secret };
  }

  /** Undefined if the state has changed since: then an endpoint with that id is another one. */
  #findOwn({ endpoints, instance }: SandboxView) {
    const own = this.#own;
    return instance === own?.instance
      ? endpoints.find(({ id, label, url }) => id === own.id && label === own.label && url === own.url)
      : undefined;
  }

  #setProblem(problem: string): void {
    const isFirst = this.#problem === null;
    this.#problem = problem;
    if (isFirst) printMessage(this.#context, `warning: this listener is no longer registered: ${problem}`);
  }
}

/** @throws ClaimsError `not_local` */
export async function requireLocalSandbox(context: Context, call: BaseInvocation) {
  const connection = await resolveConnection(context, call);
  if (await findControl(context, connection.baseUrl)) return connection;
  const message = `--register needs a sandbox on this machine; ${connection.baseUrl} is not one`;
  const hint =
    "make this listener reachable, run `claims webhooks create` with its URL and --secret-file, and listen with that secret";
  throw rejectedError("not_local", message, { hint });
}

/** @throws ClaimsError `unreachable` without a sandbox at the address */
async function readSandbox(context: Context, baseUrl: string) {
  const instance = await readInstance(context, baseUrl);
  // A sandbox that starts writes its locator file after it listens.
  const control = await findControl(context, baseUrl);
  if (!control) throw noSandboxError(baseUrl);
  return { control, instance, endpoints: await control.list("GET /endpoints") };
}

/** The id of the state that the sandbox has. @throws ClaimsError `unreachable` without a sandbox at the address */
async function readInstance(context: Context, baseUrl: string): Promise<string> {
  const state = await fetchSandboxState(context, baseUrl).catch((cause: unknown) => {
    const message = `the sandbox at ${baseUrl} does not respond (${findErrorCode(cause)})`;
    throw unreachableError("unreachable", message, { hint: STATUS_HINT, cause });
  });
  if (!state) throw noSandboxError(baseUrl);
  return state.instanceId;
}

const STATUS_HINT = "`claims sandbox status` shows its state";

const noSandboxError = (baseUrl: string): ClaimsError =>
  unreachableError("unreachable", `what responds at ${baseUrl} is no sandbox that has started`, {
    hint: STATUS_HINT,
  });

type SandboxView = Awaited<ReturnType<typeof readSandbox>>;

/** The label of an endpoint that ends with its listener. */
const LABEL = "claims listen";

const statusAfter = (label: string) => (label === KEPT_LISTENER_LABEL ? "disabled" : "revoked");

/** Whether deliveries to a URL reach this listener, which takes them at any path. */
const isSameReceiver = (endpointUrl: string, listener: string): boolean =>
  isSameService(new URL(endpointUrl).origin, new URL(listener).origin);

const setStatus = ({ control }: SandboxView, id: string, status: "active" | "disabled" | "revoked") =>
  control.fetch("POST /endpoints/{id}/status", { params: { id }, body: { status } });

/** A listener at this URL that was killed could not end its endpoint. */
async function endAbandoned(context: Context, sandbox: SandboxView, ownUrl: string) {
  for (const { id, label, status, url } of sandbox.endpoints) {
    if (url !== ownUrl || status !== "active" || (label !== LABEL && label !== KEPT_LISTENER_LABEL)) continue;
    const change = statusAfter(label);
    await setStatus(sandbox, id, change);
    printMessage(context, `${change} endpoint ${id} of a listener that is no longer running`);
  }
}
