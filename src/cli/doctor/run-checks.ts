import { type DescribedConnection, findConnection } from "../connection/connection.ts";
import { openConnection } from "../connection/service.ts";
import type { Context } from "../context.ts";
import type { BaseInvocation } from "../framework/command.ts";
import * as checks from "./checks.ts";
import { type Finding, runCheck, skip } from "./checks.ts";

/** A doctor gives a quick answer. */
const SINGLE_ATTEMPT = { maxAttempts: 1, maxPauseMs: 0 };

const CONNECTION_CHECKS = ["environment", "proxy", "ca-file"];
const REQUEST_CHECKS = ["connection", "credential", "clock"];

/** Runs all checks. One that needs another comes after it. */
export async function runChecks(context: Context, call: BaseInvocation): Promise<Finding[]> {
  const findings = [
    await runCheck("program", () => checks.checkProgram(context)),
    await runCheck("configuration", () => checks.checkConfiguration(context)),
    await runCheck("state", () => checks.checkStateFolder(context)),
    await runCheck("sandboxes", () => checks.checkSandboxes(context)),
    await runCheck("write-log", () => checks.checkWriteLog(context)),
  ];
  const found: DescribedConnection[] = [];
  const service = await runCheck("service", async () => {
    const connection = await findConnection(context, call.global, call.onEnd);
    found.push(connection);
    return checks.describeService(connection);
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
    await runCheck("environment", () => checks.checkEnvironment(connection)),
    await runCheck("proxy", () => checks.checkProxy(connection)),
    await runCheck("ca-file", () => checks.checkCaFile(context, connection.caFile)),
  ];
  if (findings.some(({ status }) => status === "fail"))
    return [...findings, ...skipAll(REQUEST_CHECKS, "repair the failed checks before this one")];
  const service = await openConnection(context, call, connection, { retryPolicy: SINGLE_ATTEMPT });
  const probe = await checks.requestContract(context, service);
  return [
    ...findings,
    await runCheck("connection", () => checks.checkReachable(probe, connection.baseUrl)),
    await runCheck("credential", () => checks.checkCredential(probe, connection)),
    await runCheck("clock", () => checks.checkClock(probe)),
  ];
}
