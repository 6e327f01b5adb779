import { Buffer } from "node:buffer";
import { notFoundError, rejectedError } from "../../../../domain/errors.ts";
import { formatCount } from "../../../../domain/numbers.ts";
import { headerValues, TIMESTAMP_HEADER } from "../../../../domain/webhooks/headers.ts";
import type { ReceivedDelivery } from "../../../../domain/webhooks/input-formats/delivery.ts";
import { findConnection } from "../../../connection/connection.ts";
import type { Context } from "../../../context.ts";
import { findControl } from "../../../sandbox-control/control.ts";
import type { VerifyOptions } from "../verify/verify.ts";

export interface SandboxDelivery extends ReceivedDelivery {
  readonly attempt: number;
}

/** No documented route returns body and headers. @param timestamp chooses the attempt, unless `--attempt` does */
export async function readSandboxDelivery(
  context: Context,
  options: VerifyOptions,
  id: string,
  timestamp: string | null,
): Promise<SandboxDelivery> {
  const { attempt } = options;
  const { baseUrl } = await findConnection(context, options);
  const control = await findControl(context, baseUrl);
  if (!control)
    throw rejectedError(
      "sandbox_only",
      `${baseUrl} has no route that returns body and headers of a delivery`,
      { hint: "only a sandbox on this machine has; give a file with the delivery, or --body with --headers" },
    );
  const { attempts, bodyBase64, endpointId } = await control.send("GET /deliveries/{id}", "attempts", {
    params: { id },
  });
  const signedThen = attempts.find(({ headers }) => headerValues(headers, TIMESTAMP_HEADER)[0] === timestamp);
  const wanted = attempt ?? signedThen?.number ?? attempts.length;
  const chosen = attempts.find(({ number }) => number === wanted);
  if (!chosen)
    throw notFoundError(
      "delivery_not_found",
      `delivery ${id} has had ${formatCount(attempts.length, "attempt")}`,
      {
        hint:
          attempts.length === 0
            ? "wait for the first attempt"
            : `leave out --attempt, or give a number up to ${attempts.length}`,
      },
    );
  const endpoints = await control.list("GET /endpoints");
  const secretPrefix = endpoints.find((endpoint) => endpoint.id === endpointId)?.secretPrefix;
  return {
    headers: chosen.headers,
    body: Buffer.from(bodyBase64, "base64"),
    secretPrefix,
    attempt: chosen.number,
  };
}
