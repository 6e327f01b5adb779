import type { AnyCommand } from "../../command.ts";
import { create } from "./create.ts";
import { deliveriesBody } from "./deliveries/body.ts";
import { deliveriesResend } from "./deliveries/resend.ts";
import { deliveriesShow } from "./deliveries/show.ts";
import { deliveriesList } from "./deliveries.ts";
import { fingerprint } from "./fingerprint.ts";
import { list as endpoints } from "./list.ts";
import { listen } from "./listen.ts";
import { probe } from "./probe.ts";
import { send } from "./send.ts";
import { sign } from "./sign.ts";
import { test } from "./test.ts";
import { vectors } from "./vectors.ts";
import { verify } from "./verify.ts";

/** The commands of `claims webhooks`; one comes before those of which it is the group. */
export const commands: readonly AnyCommand[] = [
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
  sign,
  fingerprint,
  vectors,
];
