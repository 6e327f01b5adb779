import { expect, it } from "vitest";
import { HANDLERS } from "../../sandbox/handlers/index.ts";
import { getContract } from "../../src/contract/openapi.ts";
import { ALL_OPERATIONS } from "../../src/contract/operations.ts";
import { fixture } from "../support/cli.ts";
import { reachedOperations } from "../support/contract-tap.ts";
import { putPrismBefore } from "../support/prism.ts";
import { NOTIFICATION_FLAGS } from "../support/sample-claims.ts";
import { oauthEnvironmentOf, SELLER, sandboxForTest } from "../support/sandbox.ts";
import { createTerminalContext } from "../support/terminal.ts";

const hasHandler = (id: string): boolean => {
  const [noun = "", verb = ""] = id.split(".");
  return verb in (HANDLERS[noun as keyof typeof HANDLERS] ?? {});
};

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

  const file = fixture("scenario_partial.csv");
  for (const flags of [[], ["--legacy"]]) {
    await claims("diligence", "submit", file, "--seller-name", SELLER, "--wait", "--json", ...flags);
  }
  const partial = await claims("diligence", "submit", file, "--seller-name", SELLER, "--wait", "--json");
  const { jobId } = JSON.parse(partial);
  await claims("diligence", "dataset", jobId, "--json");
  await claims("diligence", "resume", jobId);
  await claims("contract", "fetch");
  await claims("webhooks", "create", "http://127.0.0.1:9/hook", "--json");
  await claims("webhooks", "create", "http://127.0.0.1:9/hook", "--json", "--via-alias");
  await claims("webhooks", "test", "partner.test");
  await claims("webhooks", "list");
  await claims("webhooks", "deliveries");
  const createForId = async (...args: string[]) => (await claims(...args, "-q")).trim();
  const client = await createForId("clients", "create", "--name", "Acme");
  await claims("clients", "create", "--name", "Acme", "--via-alias");
  await claims("clients", "list");
  await claims("clients", "list", "--via-alias");
  const job = () =>
    createForId("diligence", "submit", fixture("sample_entries.csv"), "--seller-name", SELLER, "--wait");
  const claim = await createForId("claims", "create", "--client", client, "--job", await job());
  const other = await createForId(
    "claims",
    "create",
    "--client",
    client,
    "--job",
    await job(),
    "--via-alias",
  );
  await claims("claims", "list");
  await claims("claims", "list", "--via-alias");
  await claims("claims", "status", claim);
  await claims("offers", "create", "--claim", claim);
  await claims("offers", "create", "--claim", other, "--via-alias");
  await claims("offers", "list");
  await claims("offers", "list", "--via-alias");
  await claims("litigation", "enroll", claim);
  await claims("litigation", "enroll", other, "--via-alias");
  for (const verb of ["ledger", "dashboard"])
    for (const flags of [[], ["--via-alias"]]) await claims("revenue", verb, ...flags);
  const organization = {
    name: "North Pier Claims",
    contactName: "Ida Voss",
    contactEmail: "ida@northpier.example",
  };
  const fields = Object.entries({ ...organization, countryCode: "US" }).flatMap(([name, value]) => [
    ...["-f", `${name}=${value}`],
  ]);
  for (const flags of [[], ["--via-alias"]])
    await claims("orgs", "onboard", "north-pier", ...fields, ...flags);
  await claims("orgs", "get", "north-pier");
  for (const method of ["PUT", "POST"])
    for (const alias of ["/broker/onboard", "/broker/v1/onboard"])
      await claims("api", method, alias, "-f", "partnerOrgId=north-pier", ...fields);
  const scan = await createForId("scans", "create");
  await claims("scans", "create", "--via-alias");
  for (const flags of [[], ["--via-alias"]]) {
    await claims("scans", "delta", scan, ...flags);
    await claims("scans", "get", scan, ...flags);
    await claims("scans", "summary", scan, ...flags);
  }
  for (const flags of [[], ["--via-alias"]])
    await claims("notifications", "create", ...NOTIFICATION_FLAGS, ...flags);
  await sandbox.idle();
  for (const { legacyPath, method } of ALL_OPERATIONS) {
    if (legacyPath && method === "GET") await claims("api", method, legacyPath.replace("{jobId}", jobId));
  }
  const report = JSON.parse(
    await claims("diligence", "submit", file, "--seller-name", SELLER, "--wait", "--json"),
  );
  const resume = ALL_OPERATIONS.find(({ id }) => id === "diligence.resume")?.legacyPath ?? "";
  await claims("api", "POST", resume.replace("{jobId}", report.jobId));

  const table = ALL_OPERATIONS.map(({ id, method, path }) => ({
    name: `${method} ${path}`,
    checks: [byCommand.has(id), hasHandler(id), reachedOperations.has(id)],
  }));
  const renderChecks = (checks: boolean[]) => checks.map((check) => (check ? "✓" : "–").padEnd(9)).join("");
  const lines = table.map(({ name, checks }) => `${name.padEnd(46)}${renderChecks(checks)}`);
  process.stdout.write(`${[`${" ".repeat(46)}command  handler  flow test`, ...lines].join("\n")}\n`);
  expect(table.filter(({ checks }) => checks.includes(false))).toEqual([]);

  const all = Object.values(getContract().document.paths).flatMap((item) =>
    Object.values(item as object).flatMap(({ operationId = [] }) => operationId as string),
  );
  expect([...reachedOperations].sort()).toEqual(all.sort());
}, 120_000);
