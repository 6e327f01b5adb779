import { command } from "../../framework/command.ts";
import { create } from "./create/create.ts";
import { deliveriesList } from "./deliveries/list.ts";
import { deliveriesResend } from "./deliveries/resend.ts";
import { deliveriesShow } from "./deliveries/show.ts";
import { endpointsList } from "./endpoints.ts";
import { listen } from "./listen/listen.ts";
import { probe } from "./probe/probe.ts";
import { send } from "./send/send.ts";
import { sign } from "./sign.ts";
import { test } from "./test.ts";
import { triage } from "./triage/triage.ts";
import { verify } from "./verify/verify.ts";

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
  create,
  endpointsList,
  deliveriesList,
  deliveriesShow,
  deliveriesResend,
  test,
  listen,
  send,
  probe,
  verify,
  triage,
  sign,
  vectors,
];
