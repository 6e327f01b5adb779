import { ClaimsError } from "../../../domain/errors.ts";
import type { Call } from "../../command.ts";
import type { Context } from "../../context.ts";
import { type Control, controlAt } from "../../control.ts";
import type { Item } from "../../paged-list.ts";
import { rehearses, type Service } from "../../service.ts";

/** One attempt as the control API of a sandbox tells it. */
export interface Attempt {
  readonly number: number;
  /** `schedule` or `resend`. */
  readonly trigger: string;
  /** RFC 3339 */
  readonly at: string;
  readonly durationMs: number;
  /** Exactly as they were sent. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly responseStatus: number | null;
  readonly responseExcerpt: string | null;
  readonly error: { readonly code: string; readonly detail: string } | null;
}

/** A delivery with all that a sandbox knows of it and no documented route tells. */
export interface DeliveryDetail extends Item {
  readonly id: string;
  readonly url: string;
  /** Null where the bytes are no UTF-8. */
  readonly body: string | null;
  readonly bodyBase64: string;
  readonly attempts: readonly Attempt[];
}

/** Below `/_sandbox`. */
export const pathOfDelivery = (id: string, more = ""): string =>
  `/deliveries/${encodeURIComponent(id)}${more}`;

/** The control API of the service, where it is a local sandbox; a rehearsal asks nobody. */
export const controlOf = async (
  context: Context,
  { global }: Pick<Call, "global">,
  { connection }: Service,
): Promise<Control | null> => (rehearses(global) ? null : controlAt(context, connection.baseUrl));

/** Of what a service keeps to itself, only a sandbox can be asked. */
export const notTold = ({ connection }: Service, what: string): ClaimsError =>
  new ClaimsError("rejected", "not_told", `${connection.baseUrl} has no route that ${what}`, {
    hint: "only a sandbox on this machine does, through its control API: claims webhooks deliveries shows the record",
  });
