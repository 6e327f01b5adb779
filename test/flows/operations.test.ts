import { expect, it } from "vitest";
import { HANDLERS } from "../../sandbox/handlers/index.ts";
import { getContract } from "../../src/contract/openapi.ts";
import { ALL_OPERATIONS } from "../../src/contract/operations.ts";
import { fixture } from "../support/cli.ts";
import { reachedOperations } from "../support/contract-tap.ts";
import { throughPrism } from "../support/prism.ts";
import { oauthEnvironmentOf, SELLER, sandboxForTest } from "../support/sandbox.ts";
import { createTerminalContext } from "../support/terminal.ts";

const handled = (id: string): boolean => {
  const [noun = "", verb = ""] = id.split(".");
  return verb in (HANDLERS[noun as keyof typeof HANDLERS] ?? {});
};

it("a command reaches every operation of the table, on its legacy path and its alias too where it has one", async () => {
  const sandbox = await sandboxForTest();
  const env = oauthEnvironmentOf({
    url: await throughPrism(sandbox.url),
    credentials: sandbox.credentials,
  });
  // In this process: they are too many to have one each.
  const byCommand = new Set<string>();
  const claims = async (...args: string[]) => {
    const person = createTerminalContext({ env });
    const before = new Set(reachedOperations);
    await person.run(...args);
    // `api` reaches anything.
    if (args[0] !== "api") for (const id of reachedOperations) if (!before.has(id)) byCommand.add(id);
    return person.stdout.text;
  };
  reachedOperations.clear();

  const file = fixture("scenario_partial.csv");
  for (const more of [[], ["--legacy"]]) {
    await claims("diligence", "submit", file, "--seller-name", SELLER, "--wait", "--json", ...more);
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
  const made = async (...args: string[]) => (await claims(...args, "-q")).trim();
  const client = await made("clients", "create", "--name", "Acme");
  await claims("clients", "create", "--name", "Acme", "--via-alias");
  await claims("clients", "list");
  await claims("clients", "list", "--via-alias");
  const job = () =>
    made("diligence", "submit", fixture("sample_entries.csv"), "--seller-name", SELLER, "--wait");
  const claim = await made("claims", "create", "--client", client, "--job", await job());
  const other = await made("claims", "create", "--client", client, "--job", await job(), "--via-alias");
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
    for (const more of [[], ["--via-alias"]]) await claims("revenue", verb, ...more);
  const pier = { name: "North Pier Claims", contactName: "Ida Voss", contactEmail: "ida@northpier.example" };
  const fields = Object.entries({ ...pier, countryCode: "US" }).flatMap(([name, value]) => [
    ...["-f", `${name}=${value}`],
  ]);
  for (const more of [[], ["--via-alias"]]) await claims("orgs", "onboard", "north-pier", ...fields, ...more);
  await claims("orgs", "get", "north-pier");
  for (const method of ["PUT", "POST"])
    for (const alias of ["/broker/onboard", "/broker/v1/onboard"])
      await claims("api", method, alias, "-f", "partnerOrgId=north-pier", ...fields);
  const scan = await made("scans", "create");
  await claims("scans", "create", "--via-alias");
  for (const more of [[], ["--via-alias"]]) {
    await claims("scans", "delta", scan, ...more);
    await claims("scans", "get", scan, ...more);
    await claims("scans", "summary", scan, ...more);
  }
  const content = [
    "--recipient",
    "desk@harborpine.example",
    "--subject",
    "Ready",
    "--message",
    "It is there.",
  ];
  for (const more of [[], ["--via-alias"]]) await claims("notifications", "create", ...content, ...more);
  await sandbox.idle();
  for (const { legacyPath, method } of ALL_OPERATIONS) {
    if (legacyPath && method === "GET") await claims("api", method, legacyPath.replace("{jobId}", jobId));
  }
  const again = JSON.parse(
    await claims("diligence", "submit", file, "--seller-name", SELLER, "--wait", "--json"),
  );
  const resume = ALL_OPERATIONS.find(({ id }) => id === "diligence.resume")?.legacyPath ?? "";
  await claims("api", "POST", resume.replace("{jobId}", again.jobId));

  const table = ALL_OPERATIONS.map(({ id, method, path }) => ({
    name: `${method} ${path}`,
    ticks: [byCommand.has(id), handled(id), reachedOperations.has(id)],
  }));
  const marks = (ticks: boolean[]) => ticks.map((tick) => (tick ? "✓" : "–").padEnd(9)).join("");
  const lines = table.map(({ name, ticks }) => `${name.padEnd(46)}${marks(ticks)}`);
  process.stdout.write(`${[`${" ".repeat(46)}command  handler  flow test`, ...lines].join("\n")}\n`);
  expect(table.filter(({ ticks }) => ticks.includes(false))).toEqual([]);

  const all = Object.values(getContract().document.paths).flatMap((item) =>
    Object.values(item as object).flatMap(({ operationId = [] }) => operationId as string),
  );
  expect([...reachedOperations].sort()).toEqual(all.sort());
}, 120_000);
