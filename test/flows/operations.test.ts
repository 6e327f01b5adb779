import { expect, it } from "vitest";
import { HANDLERS } from "../../sandbox/handlers/index.ts";
import { findAliases } from "../../src/contract/aliases.ts";
import { getContract } from "../../src/contract/openapi.ts";
import { ALL_OPERATIONS, OPERATIONS } from "../../src/contract/operations/operations.ts";
import { COMMANDS } from "../support/command-tree.ts";
import { reachedOperations } from "../support/contract-tap.ts";
import { createOperationLines } from "../support/operation-lines.ts";
import { putPrismBefore } from "../support/prism.ts";
import { ORGANIZATION } from "../support/sample-claims.ts";
import { oauthEnvironmentOf, sandboxForTest } from "../support/sandbox.ts";
import { createTerminalContext } from "../support/terminal.ts";

const hasHandler = (id: string): boolean => {
  const [noun = "", verb = ""] = id.split(".");
  return verb in (HANDLERS[noun as keyof typeof HANDLERS] ?? {});
};

const operationIdOf = (name: string): string => {
  const [noun, verb] = name.split(" ");
  const spec = COMMANDS[noun as keyof typeof COMMANDS].find((each) => each.name === verb);
  return spec?.operation?.(OPERATIONS).id ?? "";
};

/**
 * The arguments of `claims api` that send the request of a command over each alias of its operation (interface §4).
 *
 * @param dryRun what the command prints with `--dry-run --json`
 */
function listAliasCalls(name: string, dryRun: string): string[][] {
  const { method, url, body } = JSON.parse(dryRun);
  const { pathname } = new URL(url);
  const sent = JSON.parse(body?.text ?? "{}");
  // An alias of one mode is none of a request in another.
  const aliases = findAliases(operationIdOf(name)).filter(({ fills = {} }) =>
    Object.entries(fills).every(([field, value]) => sent[field] === value),
  );
  return aliases.map(({ path, canonicalPath, fills = {} }) => {
    const pattern = new RegExp(`${canonicalPath.replace(/\{(\w+)\}/g, "(?<$1>[^/]+)")}$`);
    const ids = Object.entries(pattern.exec(pathname)?.groups ?? {});
    const own = ids.reduce((text, [id, value]) => text.replace(`{${id}}`, value), path);
    const moved = ids.filter(([id]) => !path.includes(`{${id}}`));
    const fields = Object.entries({ ...Object.fromEntries(moved), ...sent });
    const flags = fields
      .filter(([field]) => !Object.hasOwn(fills, field))
      .flatMap(([field, value]) =>
        Array.isArray(value)
          ? value.flatMap((each) => ["-f", `${field}[]=${each}`])
          : ["-f", `${field}=${value}`],
      );
    return ["api", method, own, ...flags];
  });
}

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

  const lines = await createOperationLines(async (...args) => (await claims(...args, "-q")).trim());
  for (const [name, argsOf] of Object.entries(lines)) {
    const words = name.split(" ");
    await claims(...words, ...(await argsOf()), "--json");
    if (findAliases(operationIdOf(name)).length === 0) continue;
    const dryRun = await claims(...words, ...(await argsOf()), "--dry-run", "--json");
    for (const call of listAliasCalls(name, dryRun)) await claims(...call);
  }
  await claims("diligence", "submit", ...((await lines["diligence submit"]?.()) ?? []), "--legacy");
  await claims("contract", "fetch");
  const [jobId = ""] = (await lines["diligence status"]?.()) ?? [];
  const [partial = ""] = (await lines["diligence resume"]?.()) ?? [];
  for (const { id, legacyPath, method } of ALL_OPERATIONS)
    if (legacyPath && id !== "diligence.submit")
      await claims("api", method, legacyPath.replace("{jobId}", method === "GET" ? jobId : partial));
  const organization = { partnerOrgId: "north-pier", ...ORGANIZATION };
  const fields = Object.entries(organization).flatMap(([field, value]) => ["-f", `${field}=${value}`]);
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
