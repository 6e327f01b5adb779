import { create } from "./create/create.ts";
import { deliveriesBody } from "./deliveries/body.ts";
import { deliveriesList } from "./deliveries/list.ts";
import { deliveriesResend } from "./deliveries/resend.ts";
import { deliveriesShow } from "./deliveries/show.ts";
import { fingerprint } from "./fingerprint.ts";
import { lab } from "./lab.ts";
import { list as endpoints } from "./list.ts";
import { listen } from "./listen/listen.ts";
import { probe } from "./probe/probe.ts";
import { send } from "./send/send.ts";
import { sign } from "./sign.ts";
import { test } from "./test.ts";
import { triage } from "./triage/triage.ts";
import { vectors } from "./vectors.ts";
import { verify } from "./verify/verify.ts";

/** A command comes before those below it. */
export const commands = [
  create,
  endpoints,
  deliveriesList,
  deliveriesShow,
  deliveriesBody,
  deliveriesResend,
  test,
  listen,
  send,
  probe,
  verify,
  triage,
  lab,
  sign,
  fingerprint,
  vectors,
];
