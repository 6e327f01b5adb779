import { ClaimsError } from "../../../../domain/errors.ts";
import { isDryRun, type Service } from "../../../connection/service.ts";
import type { Context } from "../../../context.ts";
import type { BaseInvocation } from "../../../framework/command.ts";
import { type ControlTarget, controlPath, findControl } from "../../../sandbox-control/control.ts";

/** Below `/_sandbox`. */
export const deliveryPath = (id: string, more = ""): string => controlPath("deliveries", id) + more;

/** The control API of the service, where it is a local sandbox; a rehearsal asks nobody. */
export const findDeliveryControl = async (
  context: Context,
  { global }: Pick<BaseInvocation, "global">,
  { connection }: Service,
): Promise<ControlTarget | null> => (isDryRun(global) ? null : findControl(context, connection.baseUrl));

/** Of what a service keeps to itself, only a sandbox can be asked. */
export const sandboxOnlyError = ({ connection }: Service, what: string): ClaimsError =>
  new ClaimsError("rejected", "not_told", `${connection.baseUrl} has no route that ${what}`, {
    hint: "only a sandbox on this machine does, through its control API: claims webhooks deliveries shows the record",
  });
