import { type DescribedConnection, findConnection } from "../connection/connection.ts";
import { openConnection } from "../connection/service.ts";
import type { Context } from "../context.ts";
import type { BaseInvocation } from "../framework/command.ts";
import { type Finding, runCheck, skip } from "./check.ts";
import {
  checkCaFile,
  checkConfiguration,
  checkProgram,
  checkSandboxes,
  checkStateFolder,
  checkWriteLog,
} from "./machine-checks.ts";
import {
  checkClock,
  checkCredential,
  checkEnvironment,
  checkProxy,
  checkReachable,
  describeService,
  requestContract,
} from "./service-checks.ts";

export type { Finding } from "./check.ts";

/** One request and no second one: whoever asks a doctor wants to know now. */
const SINGLE_ATTEMPT = { maxAttempts: 1, maxPauseMs: 0 };

/** All checks, in the order in which one depends on another. */
export async function runChecks(context: Context, call: BaseInvocation): Promise<Finding[]> {
  const here = [
    await runCheck("program", () => checkProgram(context)),
    await runCheck("configuration", () => checkConfiguration(context)),
    await runCheck("state", () => checkStateFolder(context)),
    await runCheck("sandboxes", () => checkSandboxes(context)),
    await runCheck("journal", () => checkWriteLog(context)),
  ];
  const [named, connection] = await checkConnection(context, call);
  if (connection !== null) return [...here, named, ...(await checkService(context, call, connection))];
  const unmade = ["environment", "proxy", "authority", ...REQUEST_CHECKS].map((name) => ({
    check: name,
    ...skip("it is not known which service to ask, and as whom"),
  }));
  return [...here, named, ...unmade];
}

async function checkConnection(
  context: Context,
  call: BaseInvocation,
): Promise<[Finding, DescribedConnection | null]> {
  let connection: DescribedConnection | null = null;
  const finding = await runCheck("service", async () => {
    connection = await findConnection(context, call.global, call.onEnd);
    return describeService(connection);
  });
  return [finding, connection];
}

/** The checks that take an answer of the service. */
const REQUEST_CHECKS = ["connection", "credential", "clock"] as const;

async function checkService(
  context: Context,
  call: BaseInvocation,
  connection: DescribedConnection,
): Promise<Finding[]> {
  const onTheWay = [
    await runCheck("environment", () => checkEnvironment(connection)),
    await runCheck("proxy", () => checkProxy(connection)),
    await runCheck("authority", () => checkCaFile(context, connection.caFile)),
  ];
  if (onTheWay.some(({ status }) => status === "fail")) {
    return [
      ...onTheWay,
      ...REQUEST_CHECKS.map((name) => ({ check: name, ...skip("what is on the way is to be mended first") })),
    ];
  }
  const asked = await requestContract(
    context,
    await openConnection(context, call, connection, { retryPolicy: SINGLE_ATTEMPT }),
  );
  return [
    ...onTheWay,
    await runCheck("connection", () => checkReachable(asked, connection.baseUrl)),
    await runCheck("credential", () => checkCredential(asked, connection)),
    await runCheck("clock", () => checkClock(asked)),
  ];
}
