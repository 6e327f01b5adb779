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

/** A doctor gives a quick answer. */
const SINGLE_ATTEMPT = { maxAttempts: 1, maxPauseMs: 0 };

const CONNECTION_CHECKS = ["environment", "proxy", "ca-file"];
const REQUEST_CHECKS = ["connection", "credential", "clock"];

/** Runs all checks. One that needs another comes after it. */
export async function runChecks(context: Context, call: BaseInvocation): Promise<Finding[]> {
  const findings = [
    await runCheck("program", () => checkProgram(context)),
    await runCheck("configuration", () => checkConfiguration(context)),
    await runCheck("state", () => checkStateFolder(context)),
    await runCheck("sandboxes", () => checkSandboxes(context)),
    await runCheck("write-log", () => checkWriteLog(context)),
  ];
  const found: DescribedConnection[] = [];
  const service = await runCheck("service", async () => {
    const connection = await findConnection(context, call.global, call.onEnd);
    found.push(connection);
    return describeService(connection);
  });
  const [connection] = found;
  if (connection === undefined) {
    const reason = "the service and the credential are unknown";
    return [...findings, service, ...skipAll([...CONNECTION_CHECKS, ...REQUEST_CHECKS], reason)];
  }
  return [...findings, service, ...(await checkService(context, call, connection))];
}

const skipAll = (names: readonly string[], reason: string): Finding[] =>
  names.map((name) => ({ check: name, ...skip(reason) }));

async function checkService(
  context: Context,
  call: BaseInvocation,
  connection: DescribedConnection,
): Promise<Finding[]> {
  const findings = [
    await runCheck("environment", () => checkEnvironment(connection)),
    await runCheck("proxy", () => checkProxy(connection)),
    await runCheck("ca-file", () => checkCaFile(context, connection.caFile)),
  ];
  if (findings.some(({ status }) => status === "fail"))
    return [...findings, ...skipAll(REQUEST_CHECKS, "repair the failed checks before this one")];
  const service = await openConnection(context, call, connection, { retryPolicy: SINGLE_ATTEMPT });
  const probe = await requestContract(context, service);
  return [
    ...findings,
    await runCheck("connection", () => checkReachable(probe, connection.baseUrl)),
    await runCheck("credential", () => checkCredential(probe, connection)),
    await runCheck("clock", () => checkClock(probe)),
  ];
}
