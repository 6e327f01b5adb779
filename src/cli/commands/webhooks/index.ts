import { usageError } from "../../../domain/errors.ts";
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

const lab = command({
  name: "lab",
  summary:
    "write the signature lab: one page to paste a request and a secret into, which connects to nothing",
  output: "bytes",
  examples: ["claims webhooks lab --out lab.html", "claims webhooks lab | wc -c"],
  async run(_, { global }) {
    if (global.json)
      throw usageError("option_conflict", "the lab is HTML", {
        hint: "leave out --json; --out lab.html writes it to a file",
      });
    const { renderLabFile } = await import("../../../pages/lab/lab-file.tsx");
    return { kind: "stream", body: [renderLabFile()] };
  },
});

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
  ...[listen, send, probe, verify, triage, lab, sign, vectors],
];
