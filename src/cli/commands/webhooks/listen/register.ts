import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { connect } from "node:net";
import { ClaimsError, notFoundError, rejectedError } from "../../../../domain/errors.ts";
import { findErrorCode, isLoopback } from "../../../../domain/net.ts";
import { EVENT_TYPES } from "../../../../domain/webhooks/event-types.ts";
import { fingerprint } from "../../../../domain/webhooks/fingerprint.ts";
import { type Connection, resolveConnection } from "../../../connection/connection.ts";
import { parseJsonResponse } from "../../../connection/json-response.ts";
import { openConnection } from "../../../connection/service.ts";
import type { Context } from "../../../context.ts";
import type { BaseInvocation } from "../../../framework/command.ts";
import { quoteId } from "../../../output/shell-quote.ts";
import { printMessage } from "../../../output/stderr.ts";
import { idOf } from "../../../records/paged-list.ts";
import { type ControlClient, findControl } from "../../../sandbox-control/control.ts";
import { describeJsonWrite } from "../../../write-log/describe-write.ts";
import { sendLogged } from "../../../write-log/send-logged.ts";
import { findSecrets } from "../create/created-endpoint.ts";

export interface Registration {
  readonly id: string;
  readonly secret: string;
  readonly environment: Connection["environment"];
}

export type SandboxRegistry = Awaited<ReturnType<typeof findSandboxRegistry>>;

/** A sandbox that starts again has another token and perhaps URL, so each operation looks for it. @throws `not_local` */
export async function findSandboxRegistry(context: Context, call: BaseInvocation) {
  const find = async () => {
    const connection = await resolveConnection(context, call);
    const control = await findControl(context, connection.baseUrl);
    if (!control) throw notLocal(connection);
    return { connection, control };
  };
  await find();
  return {
    /** Revokes the endpoints that listeners left behind, and registers this one. */
    async register(url: string): Promise<Registration> {
      const { connection, control } = await find();
      await revokeAbandoned(context, control, reachableUrl(url));
      return register(context, call, connection, reachableUrl(url));
    },
    /** False if the sandbox has no such endpoint: it was started again, or reset. Null if it does not respond. */
    async hasEndpoint(id: string, url: string): Promise<boolean | null> {
      try {
        const { control } = await find();
        const endpoints = await control.list("GET /endpoints");
        // With the same seed, another endpoint of a new sandbox has the same id.
        return endpoints.some((each) => each.id === id && each.url === reachableUrl(url));
      } catch (error) {
        if (!(error instanceof ClaimsError) || error.kind === "interrupted") throw error;
        return null;
      }
    },
    /** A failure is only a warning. */
    async revoke(id: string): Promise<void> {
      // Also applies after Ctrl-C.
      const later = { ...context, signal: AbortSignal.timeout(REVOKE_TIMEOUT_MS) };
      try {
        const { baseUrl } = await resolveConnection(later, call);
        const control = await findControl(later, baseUrl);
        if (!control)
          throw notFoundError("no_sandbox", `the sandbox at ${baseUrl} is no longer running`, {
            hint: "start it with `claims sandbox up`",
          });
        await revoke(control, id);
      } catch (error) {
        if (!(error instanceof ClaimsError)) throw error;
        printMessage(
          context,
          `warning: endpoint ${id} was not revoked: ${error.message}; run claims sandbox endpoints revoke ${quoteId(id)}`,
        );
      }
    },
  };
}

const REVOKE_TIMEOUT_MS = 5_000;

/** The label of each listener's endpoint. */
const LABEL = "claims listen";

/** A listener that was killed could not revoke its endpoint: nothing listens at its URL, or this listener does. */
async function revokeAbandoned(context: Context, control: ControlClient, ownUrl: string): Promise<void> {
  for (const { id, label, status, url } of await control.list("GET /endpoints")) {
    if (label !== LABEL || status === "revoked" || !URL.canParse(url)) continue;
    const isAbandoned = isLoopback(new URL(url).hostname) && (url === ownUrl || !(await isListening(url)));
    if (!isAbandoned) continue;
    await revoke(control, id);
    printMessage(context, `revoked endpoint ${id} of a listener that is no longer running`);
  }
}

/** Only a refused connection proves that nothing listens. */
async function isListening(url: string): Promise<boolean> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname.replace(/^\[|\]$/g, ""));
  try {
    await once(socket, "connect");
    return true;
  } catch (error) {
    return findErrorCode(error) !== "ECONNREFUSED";
  } finally {
    socket.destroy();
  }
}

const revoke = (control: ControlClient, id: string) =>
  control.fetch("POST /endpoints/{id}/status", { params: { id }, body: { status: "revoked" } });

const notLocal = ({ baseUrl }: Connection): ClaimsError =>
  rejectedError("not_local", `--register needs a sandbox on this machine; ${baseUrl} is not one`, {
    hint: "make this listener reachable, run `claims webhooks create` with its URL and --secret-file, and listen with that secret",
  });

/** A socket can listen on every address, but a sender needs one of them. */
const reachableUrl = (url: string): string =>
  url.replace("//0.0.0.0:", "//127.0.0.1:").replace("//[::]:", "//[::1]:");

async function register(context: Context, call: BaseInvocation, connection: Connection, url: string) {
  const service = await openConnection(context, call, connection, {});
  const operation = service.operations.webhooks.create;
  const json = {
    label: LABEL,
    url,
    subscribedEvents: [...EVENT_TYPES],
    environmentScope: connection.environment,
  };
  // A new key each time: an earlier listener may have created an endpoint without learning its secret.
  const write = await describeJsonWrite(operation.id, json);
  const options = { idempotencyKey: randomUUID() };
  const answer = await sendLogged(context, service, write, options, (key) =>
    service.client.send(operation, { json, idempotencyKey: key }),
  );
  const [found] = findSecrets(parseJsonResponse(answer, "the new endpoint"));
  const id = found ? idOf(found.endpoint) : null;
  if (found && id !== null) return { id, secret: found.secret, environment: connection.environment };
  throw rejectedError("response_incomplete", "the response for the new endpoint has no signingSecret", {
    hint: "the interface promises one (§2): the versions of this program and the sandbox differ",
  });
}

const CHECK_INTERVAL_MS = 2_000;

/** Registers a listener, and registers it again when the sandbox has lost its endpoint, until `end`, which revokes it. */
export async function keepRegistered(
  context: Context,
  registry: SandboxRegistry,
  url: string,
  onRegisteredAgain: (registration: Registration) => void,
) {
  const first = await registry.register(url);
  let current = first;
  const ended = new AbortController();
  const signal = AbortSignal.any([context.signal, ended.signal]);
  let hasWarned = false;

  async function check(): Promise<void> {
    const isKnown = await registry.hasEndpoint(current.id, url);
    if (isKnown === null && !hasWarned)
      printMessage(
        context,
        "warning: the sandbox does not respond; this listener registers again when it does",
      );
    hasWarned = isKnown === null;
    if (isKnown !== false) return;
    current = await registry.register(url);
    onRegisteredAgain(current);
    printMessage(
      context,
      `registered again as endpoint ${current.id}, because the sandbox lost the last one; its secret has the fingerprint ${fingerprint(current.secret)}`,
    );
  }

  async function watch(): Promise<void> {
    while (!signal.aborted) {
      await context.sleep(CHECK_INTERVAL_MS, signal).catch(() => {});
      if (signal.aborted) return;
      try {
        await check();
      } catch (error) {
        // The sandbox can stop again in the middle; the next check finds out.
        if (!(error instanceof ClaimsError)) throw error;
      }
    }
  }
  const watching = watch();
  return {
    registration: first,
    async end(): Promise<void> {
      ended.abort();
      await watching;
      await registry.revoke(current.id);
    },
  };
}
