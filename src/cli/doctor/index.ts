import type { Call } from "../command.ts";
import { type FoundConnection, findConnection, resolveConnection } from "../connection.ts";
import type { Context } from "../context.ts";
import { openConnection } from "../service.ts";
import { check, type Finding, skip } from "./finding.ts";
import { authority, configuration, journal, program, sandboxes, state } from "./machine.ts";
import { accepted, ask, clock, environment, proxy, reached, service } from "./service.ts";

export type { Finding } from "./finding.ts";

/** One request and no second one: whoever asks a doctor wants to know now. */
const PATIENCE = { attempts: 1, longestPause: 0 };

/** All checks, in the order in which one depends on another. */
export async function examine(context: Context, call: Call): Promise<Finding[]> {
  const here = [
    await check("program", () => program(context)),
    await check("configuration", () => configuration(context)),
    await check("state", () => state(context)),
    await check("sandboxes", () => sandboxes(context)),
    await check("journal", () => journal(context)),
  ];
  const [named, connection] = await nameService(context, call);
  if (connection !== null) return [...here, named, ...(await examineService(context, call, connection))];
  const unmade = ["environment", "proxy", "authority", ...ASKING].map((name) => ({
    check: name,
    ...skip("it is not known which service to ask, and as whom"),
  }));
  return [...here, named, ...unmade];
}

async function nameService(context: Context, call: Call): Promise<[Finding, FoundConnection | null]> {
  let connection: FoundConnection | null = null;
  const named = await check("service", async () => {
    connection = await connectionOf(context, call);
    return service(connection);
  });
  return [named, connection];
}

/** As every command has it, but without a credential too: the service may still be there. */
async function connectionOf(context: Context, { global, onEnd }: Call): Promise<FoundConnection> {
  if (!global.sandbox) return findConnection(context, global);
  const connection = await resolveConnection(context, global);
  if (connection.close) onEnd(connection.close);
  const by = "the sandbox of this command";
  return { ...connection, from: { baseUrl: by, environment: by, credential: by }, profile: null };
}

/** The checks that take an answer of the service. */
const ASKING = ["connection", "credential", "clock"] as const;

async function examineService(context: Context, call: Call, connection: FoundConnection): Promise<Finding[]> {
  const onTheWay = [
    await check("environment", () => environment(connection)),
    await check("proxy", () => proxy(connection)),
    await check("authority", () => authority(context, connection.caFile)),
  ];
  if (onTheWay.some(({ status }) => status === "fail")) {
    return [
      ...onTheWay,
      ...ASKING.map((name) => ({ check: name, ...skip("what is on the way is to be mended first") })),
    ];
  }
  const asked = await ask(context, await openConnection(context, call, connection, { retryPolicy: PATIENCE }));
  return [
    ...onTheWay,
    await check("connection", () => reached(asked, connection.baseUrl)),
    await check("credential", () => accepted(asked, connection)),
    await check("clock", () => clock(asked)),
  ];
}
