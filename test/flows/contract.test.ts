import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { listAssumptions } from "../../src/contract/assumptions.ts";
import { getContract } from "../../src/contract/openapi.ts";
import { errorOf, runCli, temporaryFolder } from "../support/cli.ts";
import { environmentOf, sandboxForTest } from "../support/sandbox.ts";
import { startScriptedService } from "../support/scripted-service.ts";

/** The parts of our own contract that these tests edit. */
interface ContractDocument {
  info: object;
  paths: Record<string, Record<string, { requestBody?: { required: boolean } }>>;
  components: { schemas: Record<string, { properties: Record<string, unknown>; required?: string[] }> };
}

function editContract(edit: (document: ContractDocument) => void): ContractDocument {
  const document = JSON.parse(getContract().canonicalJson) as ContractDocument;
  edit(document);
  return document;
}

/** Starts a service with this contract, and returns the environment of a command that uses it. */
async function startContractService(
  document: object | string | Buffer,
  headers: Record<string, string> = {},
) {
  const body =
    typeof document === "string" || Buffer.isBuffer(document) ? document : JSON.stringify(document);
  const service = await startScriptedService((_req, res) => {
    res.writeHead(200, { "content-type": "application/json", ...headers }).end(body);
  });
  return environmentOf({
    url: service.url,
    credentials: { sandbox: { apiKey: "sk_sandbox_made_up_for_this_test" } } as never,
  });
}

const nestArrays = (levels: number): string => "[".repeat(levels) + "]".repeat(levels);

describe("contract", () => {
  it("check passes for the sandbox, whose ETag is the hash", async () => {
    const env = environmentOf(await sandboxForTest());
    const fetched = await runCli(["contract", "fetch"], { env });
    const folder = temporaryFolder();
    writeFileSync(join(folder, "saved.json"), JSON.stringify(JSON.parse(fetched.stdout), null, 4));
    const [live, saved] = [
      await runCli(["contract", "hash", "--json"], { env }),
      await runCli(["contract", "hash", "saved.json", "-q"], { env, cwd: folder }),
    ];
    const { hash, etag } = JSON.parse(live.stdout);
    expect(etag).toBe(hash);
    expect(saved.stdout.trim()).toBe(hash);
    for (const hex of [hash, hash.toUpperCase()])
      expect((await runCli(["contract", "check", "--hash", hex], { env })).code).toBe(0);
    const other = await runCli(["contract", "check", "--hash", "0".repeat(64), "--json"], { env });
    expect([other.code, errorOf(other).code]).toEqual([7, "contract_changed"]);
    expect(JSON.parse(other.stdout)).toMatchObject({ live: hash, expected: "0".repeat(64), pinned: null });
    expect(await runCli(["contract", "check", "--hash", "abc"], { env })).toMatchObject({ code: 2 });
    const pinned = await runCli(["contract", "pin", "--json"], { env });
    expect(JSON.parse(pinned.stdout)).toMatchObject({ hash, baseUrl: env.CLAIMS_BASE_URL });
    const result = await runCli(["contract", "check", "--json"], { env });
    expect(result.code).toBe(0);
    expect(JSON.parse(result.stdout)).toMatchObject({
      ...{ live: hash, bundled: hash, expected: null, pinned: { hash }, fromBundled: [], sincePin: [] },
    });
    expect((await runCli(["contract", "diff", "--ndjson"], { env })).stdout).toBe("");
  });

  it("check exits 7 without a pin if the contract breaks this client", async () => {
    const env = await startContractService(
      editContract(({ paths }) => {
        delete paths["/v1/diligence/submit"];
      }),
    );
    const result = await runCli(["contract", "check"], { env });
    expect(result.code).toBe(7);
    expect(result.stderr).toContain(
      "the contract breaks this client: POST /v1/diligence/submit: the operation is gone",
    );
  });

  it.each([
    ["is not JSON", "<html>", "is not JSON"],
    ["is an OpenAPI 2 document", { swagger: "2.0", paths: {} }, "not an OpenAPI 3 document"],
    [
      "is nested too deeply",
      `{"openapi":"3.1.0","paths":{},"x":${nestArrays(100_000)}}`,
      "nested too deeply",
    ],
    ["has a lone surrogate", '{"openapi":"3.1.0","paths":{},"x":"\\ud800"}', "cannot be hashed"],
  ])("exits 7 in every command for a contract that %s", async (_, document, problem) => {
    const env = await startContractService(document);
    for (const verb of ["fetch", "hash", "pin", "check", "diff"]) {
      const result = await runCli(["contract", verb, "--json"], { env });
      expect(result.stdout).toBe("");
      expect(errorOf(result)).toMatchObject({ exitCode: 7 });
      expect(errorOf(result).message).toContain(problem);
    }
  });

  it("reports a missing or an edited pin, a missing file and a pin of another service", async () => {
    const env = environmentOf(await sandboxForTest());
    const cwd = temporaryFolder();
    expect(errorOf(await runCli(["contract", "diff", "pinned", "live", "--json"], { env }))).toMatchObject({
      code: "no_pin",
      exitCode: 3,
    });
    expect(errorOf(await runCli(["contract", "hash", "nowhere.json", "--json"], { env, cwd }))).toMatchObject(
      { code: "cannot_read" },
    );
    const check = (of = env) =>
      runCli(["contract", "check", "--pin-file", "pin.json", "--json"], { env: of, cwd });
    expect(errorOf(await check())).toMatchObject({ code: "no_pin", exitCode: 3 });
    await runCli(["contract", "pin", "--pin-file", "pin.json"], { env, cwd });
    expect((await check()).code).toBe(0);
    const other = environmentOf(await sandboxForTest());
    expect(errorOf(await check(other))).toMatchObject({ code: "pin_mismatch", exitCode: 2 });
    const pin = JSON.parse(readFileSync(join(cwd, "pin.json"), "utf8"));
    delete pin.document.paths["/v1/clients"];
    writeFileSync(join(cwd, "pin.json"), JSON.stringify(pin));
    expect(errorOf(await check())).toMatchObject({ code: "invalid_input", exitCode: 2 });
    expect(errorOf(await check()).message).toContain("changed after it was pinned");
  });

  it("check names the pin file in its hint and counts the differences", async () => {
    const cwd = temporaryFolder();
    const pin = ["--pin-file", "pin.json"];
    const before = await startContractService(editContract(() => {}));
    await runCli(["contract", "pin", ...pin], { env: before, cwd });
    const savedPin = JSON.parse(readFileSync(join(cwd, "pin.json"), "utf8"));
    const checkAgainst = async (edit: Parameters<typeof editContract>[0]) => {
      const env = await startContractService(editContract(edit));
      writeFileSync(join(cwd, "pin.json"), JSON.stringify({ ...savedPin, baseUrl: env.CLAIMS_BASE_URL }));
      return errorOf(await runCli(["contract", "check", "--json", ...pin], { env, cwd }));
    };
    const one = await checkAgainst(({ paths }) => {
      delete paths["/v1/clients"]?.get;
    });
    expect(one.message).toContain("1 difference, of which 1 would break this client");
    expect(one.hint).toContain("`claims contract diff pinned live --pin-file 'pin.json'`");
    const title = await checkAgainst((document) =>
      Object.assign(document, { info: { ...document.info, title: "Other" } }),
    );
    expect(title.message).toContain("1 difference, of which 0 would break this client");
  });

  it("diff prints a row per difference", async () => {
    const cwd = temporaryFolder();
    const write = (name: string, edit: Parameters<typeof editContract>[0]) =>
      writeFileSync(join(cwd, name), JSON.stringify(editContract(edit)));
    write("old.json", () => {});
    write("new.json", (document) => {
      delete document.paths["/v1/clients"]?.get;
    });
    write("words.json", (document) =>
      Object.assign(document, { info: { ...document.info, title: "Other" }, servers: [{ url: "/v2" }] }),
    );
    const diff = (...args: string[]) => runCli(["contract", "diff", "old.json", ...args], { cwd });
    const changed = await diff("new.json");
    expect([changed.code, changed.stdout]).toEqual([0, "breaks\tGET /v1/clients\t\tthe operation is gone\n"]);
    const words = await diff("words.json", "--json");
    expect(words.code).toBe(0);
    expect(JSON.parse(words.stdout)).toEqual([
      {
        ...{ operation: "*", location: "info, servers", effect: "changes" },
        message: "requests and responses are the same",
      },
    ]);
    expect((await diff("old.json")).stdout).toBe("");
  });

  it("assumptions lists every assumption with its section of the interface", async () => {
    const { stdout } = await runCli(["contract", "assumptions", "--json"]);
    expect(JSON.parse(stdout)).toEqual(listAssumptions());
    for (const { subject, source } of listAssumptions())
      expect([subject, source]).toEqual([expect.stringMatching(/./), expect.stringMatching(/^§\d/)]);
  });
});

// `npx vitest run test/flows/contract.test.ts --update` writes it.
it("fixtures/openapi.json equals the contract", async () => {
  const text = `${JSON.stringify(JSON.parse(getContract().canonicalJson), null, 2)}\n`;
  await expect(text).toMatchFileSnapshot("../../fixtures/openapi.json");
});
