import { describe, expect, it } from "vitest";
import { errorOf, fixture, runCli } from "../support/cli.ts";
import { environmentOf, SELLER, sandboxForTest, submitArgs } from "../support/sandbox.ts";
import { type Script, sendJson, startScriptedService } from "../support/scripted-service.ts";

const FILE = fixture("scenario_partial.csv");

interface Write {
  readonly key: string;
  readonly outcome: string;
  readonly state: string | null;
  readonly operation: string;
  readonly jobId: string | null;
}

function bind(env: Readonly<Record<string, string>>) {
  const claims = (...args: string[]) => runCli(args, { env });
  const list = async (...args: string[]) =>
    JSON.parse((await claims("history", "--json", ...args)).stdout) as Write[];
  const submit = (...more: string[]) => claims(...submitArgs(FILE, "--json", ...more));
  return { claims, list, submit };
}

/** A machine whose first submission has an unknown outcome. */
async function setUpUnknown(script?: Script) {
  const lose: Script = (request, response, count) =>
    count === 1 ? void request.socket.destroy() : sendJson(response, 202, { jobId: `j-${count}` });
  const service = await startScriptedService(script ?? lose, { keepsKeys: true });
  const commands = bind(service.env);
  expect((await commands.submit()).code).toBe(6);
  const [{ key } = { key: "" }] = await commands.list("--unknown");
  const keys = () => service.requests.map(({ headers }) => headers["idempotency-key"]);
  return { ...service, ...commands, key, keys };
}

describe("claims history", () => {
  it("lists every write, and with --submissions only those, whose job ids -q prints", async () => {
    const { claims, list, submit } = bind(environmentOf(await sandboxForTest()));
    await submit("--wait");
    await claims("diligence", "resume", "--last", "--wait");
    await claims("clients", "create", "--name", "Acme", "--importer-number", "00-4519380AA");
    await submit("--seller-name", "North Pier", "--on-duplicate", "submit");
    const operations = ["diligence.submit", "clients.create", "diligence.resume", "diligence.submit"];
    expect((await list()).map(({ operation }) => operation)).toEqual(operations);
    const submissions = await list("--submissions");
    expect(submissions).toMatchObject([
      { operation: "diligence.submit", outcome: "accepted", state: null },
      { operation: "diligence.submit", outcome: "accepted", state: "completed" },
    ]);
    const ids = await claims("history", "--submissions", "-q");
    expect(ids.stdout).toBe(submissions.map(({ jobId }) => `${jobId}\n`).join(""));
    expect((await list("--seller", "north")).map(({ jobId }) => jobId)).toEqual([(await list())[0]?.jobId]);
    expect(await list("--seller", SELLER)).toHaveLength(1);
    expect(await list("--state", "Accepted")).toHaveLength(4);
    expect(await list("--state", "Completed")).toHaveLength(2);
    expect(await list("--state", "refused")).toEqual([]);
    const misspelled = await claims("history", "--state", "complted", "--json");
    expect(errorOf(misspelled)).toMatchObject({
      code: "option_invalid",
      hint: expect.stringContaining("refused, not sent, forgotten, unknown, in flight, queued"),
      exitCode: 2,
    });
    expect(await list("--since", "1h", "--limit", "2")).toHaveLength(2);
    expect(await list("--since", "2999-01-01")).toEqual([]);
    expect((await claims("history", "-q")).stdout).toBe((await list()).map(({ key }) => `${key}\n`).join(""));
  });

  it("forget takes keys from stdin, and records nothing if one is not unknown", async () => {
    const { claims, list, env, key } = await setUpUnknown();
    const mixed = await claims("history", "forget", key, "no-such-key", "--json");
    expect(errorOf(mixed)).toMatchObject({ exitCode: 3, code: "unknown_key" });
    expect(await list("--unknown")).toHaveLength(1);
    const { stdout } = await claims("history", "--unknown", "-q");
    expect((await runCli(["history", "forget", "-"], { env, input: stdout })).code).toBe(0);
    const again = await claims("history", "forget", key, "--json");
    expect(errorOf(again)).toMatchObject({
      exitCode: 5,
      code: "outcome_known",
      message: expect.stringContaining("forgotten"),
    });
  });

  it.each([[[]], [["--accepted", "--refused"]], [["--refused", "--job-id", "j-1"]]])(
    "resolve %j exits 2",
    async (options) => {
      const { claims } = bind(environmentOf(await sandboxForTest()));
      const result = await claims("history", "resolve", "key", ...options, "--json");
      expect(errorOf(result)).toMatchObject({ exitCode: 2, code: "missing_option" });
    },
  );
});
