import { randomBytes } from "node:crypto";
import { rejectedError } from "../../src/domain/errors.ts";
import { isLoopback } from "../../src/domain/net.ts";
import type { Message } from "../../src/pages/layout.tsx";
import { digestSecret } from "../store/credentials.ts";

export const INSPECTOR_PREFIX = "/_sandbox/ui";

/** Pages that show everything are not for a network. */
export function requireLoopback(host: string): void {
  if (isLoopback(host)) return;
  throw rejectedError("inspector_not_available", `this sandbox listens on ${host}, beyond this machine`, {
    hint: "write the pages to a file with `claims sandbox inspect --out run.html`",
  });
}

const TICKET_LIFETIME_MS = 60_000;

export interface InspectorSession {
  /** Every form sends it back. */
  readonly formToken: string;
  /** Shown once, on the next page. */
  message: Message | null;
}

export type InspectorAccess = ReturnType<typeof createInspectorAccess>;

/** Who may see the pages: a ticket opens one session. @param monotonicNow milliseconds of wall time that only grow */
export function createInspectorAccess(monotonicNow: () => number) {
  /** Digest of a ticket → the time at which it expires. */
  const tickets = new Map<string, number>();
  /** Digest of a session's secret → the session. */
  const sessions = new Map<string, InspectorSession>();
  return {
    ticketLifetimeMs: TICKET_LIFETIME_MS,

    createTicket(): string {
      const ticket = createSecret();
      tickets.set(digestSecret(ticket), monotonicNow() + TICKET_LIFETIME_MS);
      return ticket;
    },

    /** Uses a ticket up, and returns the secret of a new session; null for one that is unknown, used or expired. */
    redeem(ticket: string): string | null {
      const expiresAt = tickets.get(digestSecret(ticket));
      tickets.delete(digestSecret(ticket));
      if (expiresAt === undefined || monotonicNow() > expiresAt) return null;
      const secret = createSecret();
      sessions.set(digestSecret(secret), { formToken: createSecret(), message: null });
      return secret;
    },

    findSession: (secret: string): InspectorSession | undefined => sessions.get(digestSecret(secret)),
  };
}

/** Hex: base64url could look like the prefix of a credential, and be redacted. */
const createSecret = (): string => randomBytes(24).toString("hex");
