import { ClaimsError, usageError } from "../../../../domain/errors.ts";
import type { Context } from "../../../context.ts";
import type { BaseInvocation } from "../../../framework/command.ts";
import { printMessage } from "../../../output/stderr.ts";
import { findPresentControl } from "../../../sandbox-control/control.ts";
import type { KeptSecret } from "./kept-secret.ts";
import {
  adoptEndpoint,
  createEndpoint,
  findOwnEndpoint,
  KEPT_LABEL,
  type ListenerAddress,
  type OwnEndpoint,
  requireInstance,
  requireLocalSandbox,
  setStatus,
} from "./register.ts";

const WATCH_INTERVAL_MS = 1_500;
const END_TIMEOUT_MS = 5_000;
const STATE_CHANGED = "the state of the sandbox has changed";

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
      const own = await createEndpoint(context, call, address, { isKept: kept !== null });
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
    const { kept } = this.#options;
    // The user created it, and it may have another receiver later.
    if (kept && label !== KEPT_LABEL) return;
    const status = kept ? "disabled" : "revoked";
    const context = { ...this.#context, signal: AbortSignal.timeout(END_TIMEOUT_MS) };
    try {
      const { control, endpoint } = await this.#find(context);
      if (endpoint === null) printMessage(context, `left endpoint ${id} alone: ${STATE_CHANGED}`);
      else if (control && endpoint.status === "active") await setStatus(control, id, status);
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
    const { endpoint, instance } = await this.#find(this.#context);
    const { id } = this.#own;
    if (endpoint !== null && endpoint.status !== "active")
      this.#setProblem(`endpoint ${id} is ${endpoint.status}`);
    else if (endpoint !== null) {
      if (this.#problem !== null) printMessage(this.#context, `endpoint ${id} is active again`);
      this.#problem = null;
    } else if (instance !== this.#failedInstance) await this.#registerAgain(instance);
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

  /** After a reset, the secrets of a sandbox come again. The app has that of the file. */
  async #recreate(): Promise<OwnEndpoint> {
    const { call, address, kept } = this.#options;
    const known = kept && this.#own.secret;
    const adopted = known && (await adoptEndpoint(this.#context, call, address, known));
    if (adopted) return adopted;
    const created = await createEndpoint(this.#context, call, address, { isKept: kept !== null });
    if (!kept || created.secret === known) return created;
    const { control } = await requireLocalSandbox(this.#context, call);
    await setStatus(control, created.id, "revoked");
    throw secretMismatchError(kept.file, address.url);
  }

  /** @throws ClaimsError if the sandbox does not respond */
  async #find(context: Context) {
    const { baseUrl } = this.#options;
    const instance = await requireInstance(context, baseUrl);
    const control = await findPresentControl(context, baseUrl);
    return { control, instance, endpoint: control && (await findOwnEndpoint(control, instance, this.#own)) };
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
