import { clockCommands } from "./clock.ts";
import { credentialsRotate } from "./credentials.ts";
import { csv } from "./csv/csv.ts";
import { down } from "./down.ts";
import { emit } from "./emit.ts";
import { env } from "./env.ts";
import { exec } from "./exec/exec.ts";
import { faultsCommands } from "./faults.ts";
import { inspect } from "./inspect.ts";
import { list } from "./list.ts";
import { requestsCommands } from "./requests/requests.ts";
import { scenarios } from "./scenarios.ts";
import { snapshotCommands } from "./snapshot.ts";
import { status } from "./status.ts";
import { up } from "./up/up.ts";
import { wait } from "./wait.ts";

/** The commands of `claims sandbox`; one comes before those of which it is the group. */
export const commands = [
  ...[up, down, list, status, env, inspect, exec],
  ...clockCommands,
  ...snapshotCommands,
  emit,
  ...requestsCommands,
  wait,
  credentialsRotate,
  ...faultsCommands,
  ...[scenarios, csv],
];
