import { compareDeliveries, type FirstDifference } from "../../../../domain/webhooks/compare-deliveries.ts";
import { headerValues, TIMESTAMP_HEADER } from "../../../../domain/webhooks/headers.ts";
import { verify } from "../../../../domain/webhooks/signature.ts";
import type { Context } from "../../../context.ts";
import type { Block } from "../../../output/output.ts";
import { type DeliveryInput, readDeliveryFile } from "../input-formats/input-formats.ts";
import { readSandboxDelivery, type SandboxDelivery } from "../input-formats/sandbox-delivery.ts";
import type { VerifyOptions } from "./verify.ts";

/** What was sent, compared with what a receiver logged. */
export type SentComparison = Awaited<ReturnType<typeof compareWithSent>>["result"];

export async function compareWithSent(
  context: Context,
  options: VerifyOptions,
  { delivery: received }: DeliveryInput,
  secrets: readonly string[],
) {
  const { against: source = "" } = options;
  const [timestamp = null] = headerValues(received.headers, TIMESTAMP_HEADER);
  const sent = isFileName(source)
    ? { ...(await readDeliveryFile(context, source, secrets)).delivery, attempt: null }
    : withContentLength(await readSandboxDelivery(context, options, source, timestamp));
  const { headers, body, attempt, secretPrefix } = sent;
  // Of what was sent, with the given secrets: whether the fault is on the way or in a secret.
  const sentVerdict = verify({ secrets, headers, body }).verdict;
  return {
    result: { source, attempt, sentVerdict, ...compareDeliveries(sent, received, secrets) },
    secretPrefix,
  };
}

/** The sandbox keeps the headers of an attempt without those of its connection. */
const withContentLength = (sent: SandboxDelivery): SandboxDelivery => ({
  ...sent,
  headers: [...sent.headers, ["Content-Length", String(sent.body.length)]],
});

/** No id has a dot or a slash. */
const isFileName = (text: string): boolean => /[./]/.test(text);

/** The headers side by side, then where the bodies part. */
export function renderComparison(comparison: SentComparison): readonly Block[] {
  const { source, attempt, sentVerdict, headers, body } = comparison;
  const { sentBytes, receivedBytes, firstDifference } = body;
  return [
    {
      kind: "card",
      section: "against",
      title: attempt === null ? `Compared with ${source}` : `Compared with attempt ${attempt} of ${source}`,
      record: { source, attempt, sentVerdict, body },
      rows: [
        ["as sent", `${sentVerdict} with the secret given here`],
        [
          "body",
          firstDifference
            ? `${sentBytes} bytes sent, ${receivedBytes} received`
            : `the same ${sentBytes} bytes`,
        ],
        ...(firstDifference ? describeFirstDifference(firstDifference) : []),
      ],
    },
    {
      kind: "table",
      section: "against.headers",
      columns: [{ name: "header" }, { name: "result" }, { name: "sent" }, { name: "received" }],
      rows: headers.map(({ name, result, sent, received }) => [
        name,
        result.replace("_", " "),
        sent,
        result === "same" ? null : received,
      ]),
      values: headers.map(({ name, result, sent, received }) => [name, result, sent, received]),
    },
  ];
}

const describeFirstDifference = ({ offset, line, column, sent, received }: FirstDifference) =>
  [
    ["differs at", `offset ${offset} (line ${line}, column ${column})`],
    ["sent", sent ?? HIDDEN],
    ["received", received ?? HIDDEN],
  ] as const;

const HIDDEN = "not shown: a body holds a secret";
