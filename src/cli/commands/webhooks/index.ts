import { command } from "../../framework/command.ts";
import { explainDisabled } from "../../records/disabled-endpoints.ts";
import { listCommand } from "../../records/record-commands.ts";
import { create } from "./create/create.ts";
import { deliveriesList } from "./deliveries/list.ts";
import { deliveriesResend } from "./deliveries/resend.ts";
import { deliveriesShow } from "./deliveries/show.ts";
import { listen } from "./listen/listen.ts";
import { probe } from "./probe/probe.ts";
import { send } from "./send/send.ts";
import { sign } from "./sign.ts";
import { test } from "./test.ts";
import { triage } from "./triage/triage.ts";
import { verify } from "./verify/verify.ts";

const endpoints = listCommand({
  summary: "list the webhook endpoints of your partner, newest first",
  noun: "webhook endpoints",
  operation: ({ webhooks }) => webhooks.endpoints,
  hasAlias: false,
  columns: [
    { name: "id", isId: true },
    { name: "label" },
    { name: "status" },
    { name: "environmentScope", title: "scope" },
    { name: "secretPrefix", title: "secret", isId: true },
    { name: "url" },
  ],
  emptyMessage: "no webhook endpoint yet; `claims webhooks create URL` registers one",
  notes: (service) => (endpoints) => explainDisabled(service, endpoints),
  examples: [
    "claims webhooks list",
    "claims webhooks list --all --fields id,url,secretPrefix,status",
    "claims webhooks list --json | jq -r '.data[] | select(.status == \"disabled\") | .id'",
  ],
});

const vectors = command({
  name: "vectors",
  summary: "print deliveries with their verdicts, to test a receiver",
  output: "bytes",
  examples: ["claims webhooks vectors --out vectors.json", "claims webhooks vectors | jq '.vectors[].name'"],
  async run() {
    const { default: text } = await import("../../../../fixtures/signatures/vectors.json?text");
    return { kind: "stream", body: [text] };
  },
});

/** A command comes before those below it. */
export const commands = [
  ...[create, endpoints, deliveriesList, deliveriesShow, deliveriesResend, test],
  ...[listen, send, probe, verify, triage, sign, vectors],
];
