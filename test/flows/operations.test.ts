import { expect, it } from "vitest";
import { HANDLERS } from "../../sandbox/handlers/index.ts";
import { getContract } from "../../src/contract/openapi.ts";
import { ALL_OPERATIONS } from "../../src/contract/operations/operations.ts";
import { listCommands } from "../support/command-tree.ts";
import { reachedOperations } from "../support/contract-tap.ts";
import { createOperationLines } from "../support/operation-lines.ts";
import { putPrismBefore } from "../support/prism.ts";
import { oauthEnvironmentOf, sandboxForTest } from "../support/sandbox.ts";
import { createTerminalContext } from "../support/terminal.ts";

const hasHandler = (id: string): boolean => {
  const [noun = "", verb = ""] = id.split(".");
  return verb in (HANDLERS[noun as keyof typeof HANDLERS] ?? {});
};

const ORGANIZATION = {
  partnerOrgId: "north-pier",
  name: "North Pier Claims",
  contactName: "Ida Voss",
  contactEmail: "ida@northpier.example",
  countryCode: "US",
};

/** The ways to send a request, by the flag of a command. */
const VARIANTS = [null, "--via-alias", "--legacy"] as const;

it("every operation has a handler and a command, also for its legacy path and its alias", async () => {
  const sandbox = await sandboxForTest();
  const env = oauthEnvironmentOf({
    url: await putPrismBefore(sandbox.url),
    credentials: sandbox.credentials,
  });
  // In this process, because a process for each of these commands would be slow.
  const byCommand = new Set<string>();
  const claims = async (...args: string[]) => {
    const terminal = createTerminalContext({ env });
    const before = new Set(reachedOperations);
    await terminal.run(...args);
    // `api` can call every operation, so it does not count.
    if (args[0] !== "api") for (const id of reachedOperations) if (!before.has(id)) byCommand.add(id);
    return terminal.stdout.text;
  };
  reachedOperations.clear();
  const commands = listCommands();

  const lines = await createOperationLines(async (...args) => (await claims(...args, "-q")).trim());
  for (const [name, argsOf] of Object.entries(lines))
    for (const flag of VARIANTS) {
      const takesFlag = commands.get(`claims ${name}`)?.options.some(({ long }) => long === flag);
      if (flag === null || takesFlag)
        await claims(...name.split(" "), ...(await argsOf()), "--json", ...(flag === null ? [] : [flag]));
    }
  await claims("contract", "fetch");
  const [jobId = ""] = (await lines["diligence status"]?.()) ?? [];
  const [partial = ""] = (await lines["diligence resume"]?.()) ?? [];
  for (const { id, legacyPath, method } of ALL_OPERATIONS)
    if (legacyPath && id !== "diligence.submit")
      await claims("api", method, legacyPath.replace("{jobId}", method === "GET" ? jobId : partial));
  const fields = Object.entries(ORGANIZATION).flatMap(([field, value]) => ["-f", `${field}=${value}`]);
  for (const method of ["PUT", "POST"])
    for (const alias of ["/broker/onboard", "/broker/v1/onboard"])
      await claims("api", method, alias, ...fields);
  await sandbox.idle();

  const table = ALL_OPERATIONS.map(({ id, method, path }) => ({
    name: `${method} ${path}`,
    checks: [byCommand.has(id), hasHandler(id), reachedOperations.has(id)],
  }));
  expect(table.filter(({ checks }) => checks.includes(false))).toEqual([]);

  const all = Object.values(getContract().document.paths).flatMap((item) =>
    Object.values(item as object).flatMap(({ operationId = [] }) => operationId as string),
  );
  expect([...reachedOperations].sort()).toEqual(all.sort());
}, 120_000);
