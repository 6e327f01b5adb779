import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createdEndpoint } from "../../src/contract/operations/webhooks.ts";
import { errorOf, runCli, temporaryFolder } from "../support/cli.ts";
import { startReceiver } from "../support/receiver.ts";
import { controlEnvironmentOf, environmentOf, sandboxForTest } from "../support/sandbox.ts";
import { createTerminalContext, show } from "../support/terminal.ts";

const URL = "http://127.0.0.1:9/hook";
const SECRET = /^whsec_[\w-]{43}$/;

const readMode = (path: string): string => (statSync(path).mode & 0o777).toString(8);

/** Starts a sandbox, and returns functions that run the command line against it in a new folder. */
async function setUp(options: Parameters<typeof sandboxForTest>[0] = {}) {
  const sandbox = await sandboxForTest(options);
  const env = controlEnvironmentOf(sandbox);
  const cwd = temporaryFolder();
  const claims = (...args: string[]) => runCli(args, { env, cwd });
  const listEndpoints = async () => JSON.parse((await claims("webhooks", "list", "--json")).stdout).data;
  return { sandbox, env, cwd, claims, listEndpoints };
}

describe("webhooks list", () => {
  it("names active endpoints that get the same event at the same URL", async () => {
    const { claims, env, sandbox } = await setUp();
    const create = async (...args: string[]) =>
      JSON.parse((await claims("webhooks", "create", ...args, "--json")).stdout).id as string;
    const showNotes = async () => {
      const terminal = createTerminalContext({ env });
      expect(await terminal.run("webhooks", "list", "--no-color")).toBe(0);
      return terminal.stderr.text.replaceAll(/\s+/g, " ");
    };
    const first = await create(URL);
    await create(`${URL}/2`);
    expect(await showNotes()).not.toContain("signed with different secrets");
    const second = await create(URL, "--event", "partner.test");
    expect(await showNotes()).toContain(
      `${URL} gets partner.test from each of the endpoints ${second} and ${first}, signed with different secrets`,
    );
    await sandbox.webhooks.setStatus(first, "revoked");
    expect(await showNotes()).not.toContain("signed with different secrets");
  });
});

describe("webhooks create", () => {
  it("registers the endpoint, and prints the response with its signing secret", async () => {
    const { claims, listEndpoints } = await setUp();
    const created = await claims(
      ...["webhooks", "create", URL, "--label", "Dev", "--scope", "all"],
      ...["--event", "partner.test", "--event", "partner.credential.rotated", "--json"],
    );
    expect(created.code).toBe(0);
    const { signingSecret, ...record } = JSON.parse(created.stdout);
    expect(signingSecret).toMatch(SECRET);
    expect(record).toMatchObject({
      label: "Dev",
      url: URL,
      subscribedEvents: ["partner.test", "partner.credential.rotated"],
      environmentScope: "all",
      secretPrefix: signingSecret.slice(0, 12),
      status: "active",
    });
    expect(await listEndpoints()).toContainEqual(record);
    expect(Object.keys(createdEndpoint.properties)).toEqual(expect.arrayContaining(Object.keys(record)));
  });

  it("defaults to the host as label, the published events, and the scope of the environment", async () => {
    const { claims } = await setUp();
    const { stdout } = await claims("webhooks", "create", URL, "--json");
    expect(JSON.parse(stdout)).toMatchObject({
      label: "127.0.0.1:9",
      subscribedEvents: [
        "partner.test",
        "partner.capability.changed",
        "partner.environment.promoted",
        "partner.credential.rotated",
      ],
      environmentScope: "sandbox",
    });
  });

  it.each([
    ["stdout is a pipe", []],
    ["only ids are printed", ["-q"]],
    ["only other fields are printed", ["--fields", "id,url"]],
  ])("sends nothing if the secret would be lost because %s", async (_, flags) => {
    const { claims, listEndpoints } = await setUp();
    const before = await listEndpoints();
    const result = await claims("webhooks", "create", URL, ...flags);
    expect(result.code).toBe(2);
    expect(result.stderr).toContain("--secret-file");
    expect(await listEndpoints()).toEqual(before);
  });

  it("writes the secret only to a file of mode 0600, and does not replace a file", async () => {
    const { claims, cwd, listEndpoints } = await setUp();
    const created = await claims("webhooks", "create", URL, "--secret-file", "whsec.txt", "--json");
    expect(created.code).toBe(0);
    expect(JSON.parse(created.stdout)).not.toHaveProperty("signingSecret");
    const secret = readFileSync(join(cwd, "whsec.txt"), "utf8");
    expect(secret).toMatch(SECRET);
    expect(created.stdout + created.stderr).not.toContain(secret);
    expect(readMode(join(cwd, "whsec.txt"))).toBe("600");

    const count = (await listEndpoints()).length;
    const second = await claims("webhooks", "create", URL, "--secret-file", "whsec.txt", "--json");
    expect(second.code).toBe(2);
    expect(errorOf(second).code).toBe("secret_exists");
    expect(await listEndpoints()).toHaveLength(count);
    expect(readFileSync(join(cwd, "whsec.txt"), "utf8")).toBe(secret);
  });

  it("removes the empty file when the service rejects the request", async () => {
    const { claims, cwd } = await setUp();
    const result = await claims(
      ...["webhooks", "create", URL, "--event", "partner.*", "--secret-file", "whsec.txt", "--json"],
    );
    expect(result.code).toBe(5);
    expect(errorOf(result).message).toContain("wildcard");
    expect(existsSync(join(cwd, "whsec.txt"))).toBe(false);
  });

  it.each([
    ["--secret-file", "one", "--out", "./one", "--json"],
    ["--secret-file", "-"],
  ])(
    "sends nothing if two outputs would use one file, or for an invalid file: %s %s %s %s",
    async (...flags) => {
      const { claims, cwd, listEndpoints } = await setUp();
      const before = await listEndpoints();
      expect(await claims("webhooks", "create", URL, ...flags)).toMatchObject({ code: 2, stdout: "" });
      expect(readdirSync(cwd)).toEqual([]);
      expect(await listEndpoints()).toEqual(before);
    },
  );

  it("stores the secret in the profile with --store, where sign, verify and fingerprint find it", async () => {
    const { sandbox, claims, cwd } = await setUp();
    await claims("profiles", "set", "local", "--base-url", sandbox.url);
    const withoutProfile = await claims("webhooks", "create", URL, "--store", "--json");
    expect(errorOf(withoutProfile).code).toBe("unknown_profile");
    const created = await claims("webhooks", "create", URL, "--store", "--profile", "local", "--json");
    expect(created.code).toBe(0);
    expect(JSON.parse(created.stdout).signingSecret).toBeUndefined();
    const second = await claims("webhooks", "create", URL, "--store", "--profile", "local", "--json");
    expect(errorOf(second).code).toBe("secret_exists");

    const profile = JSON.parse((await claims("profiles", "show", "local", "--json")).stdout);
    expect(profile.webhookSecret).toMatch(/^[0-9a-f]{8}$/);

    writeFileSync(join(cwd, "body.json"), '{"type":"partner.test"}');
    const headers = await claims("webhooks", "sign", "--body", "body.json", "--profile", "local");
    writeFileSync(join(cwd, "headers.txt"), headers.stdout);
    const verify = ["webhooks", "verify", "--body", "body.json", "--headers", "headers.txt", "--json"];
    expect((await claims(...verify, "--profile", "local")).code).toBe(0);
    expect(errorOf(await claims(...verify)).code).toBe("no_secret");
    writeFileSync(join(cwd, "other.txt"), `whsec_${"x".repeat(43)}`, { mode: 0o600 });
    expect((await claims(...verify, "--profile", "local", "--secret-file", "other.txt")).code).toBe(7);
  });

  it("refuses to store the secret in the profile of another service", async () => {
    const { claims, sandbox } = await setUp();
    await claims("profiles", "set", "far", "--base-url", "https://partners.example.com");
    const result = await claims(
      ...["webhooks", "create", URL, "--store", "--profile", "far", "--base-url", sandbox.url, "--json"],
    );
    expect(errorOf(result).code).toBe("profile_mismatch");
  });

  it("warns about unpublished events, and merges duplicates", async () => {
    const { claims } = await setUp();
    const events = ["claim.updated", "claim.updated", "partner.deleted"].flatMap((name) => ["--event", name]);
    const created = await claims("webhooks", "create", URL, ...events, "--json");
    expect(JSON.parse(created.stdout).subscribedEvents).toEqual(["claim.updated", "partner.deleted"]);
    expect(created.stderr).toContain('{"warning":{"message":"claim.updated is not a published event');
    expect(created.stderr.match(/claim\.updated is not a/g)).toHaveLength(1);
    expect(created.stderr.match(/none of the four published events says that a job has ended/g)).toHaveLength(
      1,
    );
    const published = await claims("webhooks", "create", URL, "--event", "partner.test", "--json");
    expect(published.stderr).not.toContain("a job has ended");
  });

  it.each(["partner.tset", "partner.tests"])(
    "refuses %s, which looks like a published event, unless --any-event is given",
    async (name) => {
      const { claims, listEndpoints } = await setUp();
      const before = await listEndpoints();
      const args = ["webhooks", "create", URL, "--event", name, "--json"];
      const refused = await claims(...args);
      expect(refused.code).toBe(2);
      expect(errorOf(refused)).toMatchObject({
        code: "event_misspelled",
        hint: expect.stringContaining("--event partner.test"),
      });
      expect(await listEndpoints()).toEqual(before);
      expect((await claims(...args, "--any-event")).code).toBe(0);
    },
  );

  it("asks about such an event on a terminal, and takes no for the default", async () => {
    const { env } = await setUp();
    const args = ["webhooks", "create", URL, "--event", "partner.tset", "--secret-file", "s.txt"];
    const declined = createTerminalContext({ env, typed: "\n" });
    expect(await declined.run(...args)).toBe(2);
    expect(declined.stderr.text).toContain("partner.test is. Register partner.tset? [y/N]");
    expect(await createTerminalContext({ env, typed: "y\n" }).run(...args)).toBe(0);
  });

  it("names no test as the next step of an endpoint that does not get it", async () => {
    const { env } = await setUp();
    const { run, stdout } = createTerminalContext({ env });
    await run("webhooks", "create", URL, "--scope", "production", "--secret-file", "p.txt");
    expect(stdout.text).toContain("production");
    expect(stdout.text).not.toContain("webhooks test");
    await run("webhooks", "create", URL, "--scope", "sandbox", "--secret-file", "s.txt");
    expect(stdout.text).toContain("claims webhooks test partner.test --endpoint ");
  });

  it.each([
    ["http://127.0.0.1:9/h", "production", "127.0.0.1 is on this machine or a private network"],
    ["http://169.254.169.254/h", "sandbox", "a sandbox never delivers there"],
    ["http://hooks.example.com/h", "production", "are not encrypted; use https"],
    ["https://hooks.example.com/h", "sandbox", "if started with --allow-public-webhooks"],
  ])("warns about %s with the scope %s", async (url, scope, warning) => {
    const { claims } = await setUp();
    const created = await claims("webhooks", "create", url, "--scope", scope, "--json");
    expect(created.code).toBe(0);
    expect(created.stderr).toContain(warning);
  });

  it.each(["hooks.example.com/x", "http://me:pw@127.0.0.1/x"])(
    "sends nothing for %j, which is not the URL of a receiver",
    async (url) => {
      const { claims, listEndpoints } = await setUp();
      const result = await claims("webhooks", "create", url, "--json");
      expect([result.code, errorOf(result).code]).toEqual([2, "option_invalid"]);
      expect(result.stderr).not.toContain("pw");
      expect(await listEndpoints()).toHaveLength(1);
    },
  );

  it("creates no file and no endpoint with --curl", async () => {
    const { claims, cwd, listEndpoints } = await setUp();
    const result = await claims("webhooks", "create", URL, "--secret-file", "whsec.txt", "--curl");
    expect(result.stdout).toContain('"environmentScope":"sandbox"');
    expect(existsSync(join(cwd, "whsec.txt"))).toBe(false);
    expect(await listEndpoints()).toHaveLength(1);
  });
});

it("webhooks list prints a table without secrets on a terminal", async () => {
  const { env } = await setUp();
  const terminal = createTerminalContext({ env });
  expect(await terminal.run("webhooks", "list", "--no-color")).toBe(0);
  expect(terminal.stdout.text).toMatch(/^label +status +scope +events +last success +last failure\n/);
  expect(terminal.stdout.text).toMatch(
    /Sandbox sink +active +all +4 +– +–\n +\S{36} {2}whsec_\S{6} {2}http:/,
  );
  expect(terminal.stdout.text).not.toMatch(/whsec_\w{8}/);
});

describe("webhooks test", () => {
  it("sends a test event, and prints the body and headers that arrive", async () => {
    const { claims } = await setUp();
    const { requests, url } = await startReceiver();
    const { id } = JSON.parse((await claims("webhooks", "create", url, "--json")).stdout);
    const result = await claims("webhooks", "test", "partner.test", "--endpoint", id, "--json");
    expect(result.code).toBe(0);
    const { body, previews } = JSON.parse(result.stdout);
    expect(previews).toHaveLength(1);
    const list = async () => JSON.parse((await claims("webhooks", "deliveries", "--json")).stdout).data[0];
    expect(await list()).toMatchObject({ id: previews[0].deliveryId, status: "delivered", attemptCount: 1 });
    expect(requests).toHaveLength(1);
    expect(requests[0]?.body.toString()).toBe(body);
    const headers = Object.fromEntries(requests[0]?.headers ?? []);
    expect(headers).toMatchObject(previews[0].headers);
  });

  it("prints whole signatures and the body of two endpoints in 24 lines at 80 columns", async () => {
    const { env, claims } = await setUp();
    const { url } = await startReceiver();
    await claims("webhooks", "create", url, "--json");
    const { lines } = await show(env, "webhooks", "test", "partner.test");
    expect(lines.length).toBeLessThanOrEqual(24);
    expect(lines.filter((line) => /^ {2}signature {4}[0-9a-f]{64}$/.test(line))).toHaveLength(2);
    expect(lines[lines.indexOf("Body") + 1]).toMatch(/^\{"id":.*\}$/);
    for (const line of lines) if (!line.startsWith("{")) expect(line.length).toBeLessThanOrEqual(80);
  });

  it("accepts only a sandbox credential", async () => {
    const { sandbox } = await setUp();
    const production = { ...environmentOf(sandbox), CLAIMS_API_KEY: sandbox.credentials.production.apiKey };
    const inferred = await runCli(["webhooks", "test", "partner.test", "--json"], { env: production });
    expect([inferred.code, errorOf(inferred).code]).toEqual([4, "wrong_environment"]);
    const declared = await runCli(["webhooks", "test", "partner.test", "--yes", "--json"], {
      env: { ...production, CLAIMS_ENVIRONMENT: "production" },
    });
    expect([declared.code, errorOf(declared).code]).toEqual([4, "wrong_environment"]);
  });

  it.each([
    ["an unpublished event", ["claim.updated"], 2, "option_invalid"],
    ["an unknown endpoint", ["partner.test", "--endpoint", "x"], 3, "endpoint_not_found"],
  ])("refuses %s", async (_, args, code, name) => {
    const { claims } = await setUp();
    const result = await claims("webhooks", "test", ...args, "--json");
    expect([result.code, errorOf(result).code]).toEqual([code, name]);
  });
});

it("profiles set --webhook-secret-file stores a signing secret, and prints only its fingerprint", async () => {
  const { claims, cwd, env } = await setUp();
  const secret = `whsec_${"p".repeat(43)}`;
  writeFileSync(join(cwd, "s.txt"), `${secret}\n`, { mode: 0o600 });
  const stored = await claims(
    ...["profiles", "set", "one", "--base-url", "https://one.example", "--webhook-secret-file", "s.txt"],
  );
  expect(stored.stdout).toMatch(/^profile\twebhookSecret\t[0-9a-f]{8}$/m);
  const fromStdin = await runCli(["profiles", "set", "one", "--webhook-secret-file", "-", "--json"], {
    env,
    cwd,
    input: `${secret}\n`,
  });
  expect(JSON.parse(fromStdin.stdout).webhookSecret).toMatch(/^[0-9a-f]{8}$/);
  // The secret does not depend on the base URL.
  const changed = await claims("profiles", "set", "one", "--base-url", "https://two.example", "--json");
  expect(JSON.parse(changed.stdout).webhookSecret).toBe(JSON.parse(fromStdin.stdout).webhookSecret);
});
