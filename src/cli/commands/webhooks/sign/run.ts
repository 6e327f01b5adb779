import { fingerprint } from "../../../../domain/webhooks/fingerprint.ts";
import { SIGNATURE_HEADER } from "../../../../domain/webhooks/headers.ts";
import type { Context } from "../../../context.ts";
import { readInput } from "../../../files/input-file.ts";
import type { OptionValues } from "../../../framework/options.ts";
import type { Output } from "../../../output/output.ts";
import { signHeaders } from "../signed-headers.ts";
import { refuseStdinConflict, requireSingleSecret } from "../signing-secrets.ts";
import type { signOptions } from "./options.ts";

/** Prints the headers one a line, as curl's `-H @-` reads them. */
export async function runSign(context: Context, options: OptionValues<typeof signOptions>): Promise<Output> {
  const { body: file, secretFile = [], secretStdin, timestamp, event } = options;
  refuseStdinConflict([file, ...secretFile], secretStdin);
  const body = await readInput(context, file);
  const secret = await requireSingleSecret(context, options);
  const headers = signHeaders(context, { secret, body, timestamp, event });
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return {
    kind: "record",
    json: { headers, fingerprint: fingerprint(secret) },
    id: headers[SIGNATURE_HEADER],
    blocks: [{ kind: "paragraph", lines }],
  };
}
