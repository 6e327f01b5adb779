import { ClaimsError } from "../../../../domain/errors.ts";
import { fingerprint } from "../../../../domain/webhooks/fingerprint.ts";
import type { Context } from "../../../context.ts";
import { printMessage } from "../../../output/stderr.ts";
import type { Registration, SandboxRegistry } from "./register.ts";

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
