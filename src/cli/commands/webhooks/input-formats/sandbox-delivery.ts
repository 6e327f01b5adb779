import { Buffer } from "node:buffer";
import type { DeliveryDetails, SandboxEndpoint } from "../../../../../sandbox/index.ts";
import { ClaimsError } from "../../../../domain/errors.ts";
import { findConnection } from "../../../connection/connection.ts";
import type { ConnectionOptions } from "../../../connection/sources.ts";
import type { Context } from "../../../context.ts";
import { formatCount } from "../../../output/numbers.ts";
import { findControl, readControl, readControlList } from "../../../sandbox-control/control.ts";
import { deliveryPath } from "../deliveries/control.ts";
import type { ReceivedDelivery } from "./delivery.ts";

/** A delivery as the local sandbox has sent it: no service tells body and headers by a documented route. */
export async function readSandboxDelivery(
  context: Context,
  where: ConnectionOptions,
  id: string,
  attempt: number | undefined,
): Promise<ReceivedDelivery> {
  const { baseUrl } = await findConnection(context, where);
  const control = await findControl(context, baseUrl);
  if (!control)
    throw new ClaimsError(
      "rejected",
      "not_told",
      `${baseUrl} has no route that tells body and headers of a delivery`,
      {
        hint: "only a sandbox on this machine does; give the delivery as --request, or as --body with --headers",
      },
    );
  const { attempts, bodyBase64, endpointId } = await readControl<DeliveryDetails>(
    context,
    control,
    "attempts",
    "GET",
    deliveryPath(id),
  );
  const chosen = attempts.find(({ number }) => number === (attempt ?? attempts.length));
  if (chosen) {
    const endpoints = await readControlList<SandboxEndpoint>(context, control, "GET", "/endpoints");
    const secretPrefix = endpoints.find((endpoint) => endpoint.id === endpointId)?.secretPrefix;
    return { headers: chosen.headers, body: Buffer.from(bodyBase64, "base64"), secretPrefix };
  }
  throw new ClaimsError(
    "not_found",
    "no_such_attempt",
    `delivery ${id} has had ${formatCount(attempts.length, "attempt")}`,
    {
      hint: attemptHint(attempts.length),
    },
  );
}

function attemptHint(count: number): string {
  if (count === 0) return "wait for its first one";
  return count === 1 ? "leave out --attempt" : `give --attempt 1 to ${count}`;
}
