import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createdEndpoint } from "../../src/contract/webhooks.ts";
import { errorOf, runCli, temporaryFolder } from "../support/cli.ts";
import { startReceiver } from "../support/receiver.ts";
import { controlEnvironmentOf, environmentOf, sandboxForTest } from "../support/sandbox.ts";
import { sendJson, startScriptedService } from "../support/scripted-service.ts";
import { createTerminalContext } from "../support/terminal.ts";

const URL = "http://127.0.0.1:9/hook";
const SECRET = /^whsec_[\w-]{43}$/;

const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);

/** A sandbox, and the command line against it in a folder of its own. */
async function setUp(options: Parameters<typeof sandboxForTest>[0] = {}) {
  const sandbox = await sandboxForTest(options);
  const env = controlEnvironmentOf(sandbox);
  const cwd = temporaryFolder();
  const claims = (...args: string[]) => runCli(args, { env, cwd });
  const endpoints = async () => JSON.parse((await claims("webhooks", "list", "--json")).stdout).data;
  return { sandbox, env, cwd, claims, endpoints };
}

describe("webhooks create", () => {
  it("registers the endpoint, and prints the response with its signing secret", async () => {
    const { claims, endpoints } = await setUp();
    const made = await claims(
      ...["webhooks", "create", URL, "--label", "Dev", "--scope", "all"],
      ...["--event", "partner.test", "--event", "partner.credential.rotated", "--json"],
    );
    expect(made.code).toBe(0);
    const { signingSecret, ...record } = JSON.parse(made.stdout);
    expect(signingSecret).toMatch(SECRET);
    expect(record).toMatchObject({
      label: "Dev",
      url: URL,
      subscribedEvents: ["partner.test", "partner.credential.rotated"],
      environmentScope: "all",
      secretPrefix: signingSecret.slice(0, 12),
      status: "active",
    });
    expect(await endpoints()).toContainEqual(record);
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

  it("shows the secret once on a terminal", async () => {
    const { env } = await setUp();
    const person = createTerminalContext({ env });
    expect(await person.run("webhooks", "create", URL, "--no-color")).toBe(0);
    expect(person.stdout.text).toMatch(/Signing secret, shown once\n {2}whsec_[\w-]{43}\n/);
    expect(person.stdout.text).toMatch(/claims webhooks test partner\.test --endpoint [0-9a-f-]{36}/);
    expect(person.stderr.text).not.toContain("whsec_");
  });

  it.each([
    ["a pipe without a place for it", []],
    ["ids alone", ["-q"]],
    ["fields without it", ["--fields", "id,url"]],
    ["a file that may turn out not to be writable", ["--json", "--out", "no/such/folder.json"]],
  ])("sends nothing if the secret would be lost: %s", async (_, flags) => {
    const { claims, endpoints } = await setUp();
    const before = await endpoints();
    const refused = await claims("webhooks", "create", URL, ...flags);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain("--secret-file");
    expect(await endpoints()).toEqual(before);
  });

  it("writes the secret only to a file of mode 0600, and does not replace a file", async () => {
    const { claims, cwd, endpoints } = await setUp();
    const made = await claims("webhooks", "create", URL, "--secret-file", "whsec.txt", "--json");
    expect(made.code).toBe(0);
    expect(JSON.parse(made.stdout)).not.toHaveProperty("signingSecret");
    const secret = readFileSync(join(cwd, "whsec.txt"), "utf8");
    expect(secret).toMatch(SECRET);
    expect(made.stdout + made.stderr).not.toContain(secret);
    expect(modeOf(join(cwd, "whsec.txt"))).toBe("600");

    const count = (await endpoints()).length;
    const again = await claims("webhooks", "create", URL, "--secret-file", "whsec.txt", "--json");
    expect(again.code).toBe(2);
    expect(errorOf(again).code).toBe("secret_exists");
    expect(await endpoints()).toHaveLength(count);
    expect(readFileSync(join(cwd, "whsec.txt"), "utf8")).toBe(secret);
    expect((await claims("webhooks", "create", URL, "--secret-file", "whsec.txt", "--force")).code).toBe(0);
    expect(readFileSync(join(cwd, "whsec.txt"), "utf8")).not.toBe(secret);
  });

  it("removes the empty file when the service rejects the request", async () => {
    const { claims, cwd } = await setUp();
    const refused = await claims(
      ...["webhooks", "create", URL, "--event", "partner.*", "--secret-file", "whsec.txt", "--json"],
    );
    expect(refused.code).toBe(5);
    expect(errorOf(refused).message).toContain("wildcard");
    expect(existsSync(join(cwd, "whsec.txt"))).toBe(false);
  });

  it("sets the variable in a .env file and keeps its other lines", async () => {
    const { claims, cwd } = await setUp();
    const path = join(cwd, ".env");
    writeFileSync(path, "# mine\r\nPORT=3000\r\nexport CLAIMS_WEBHOOK_SECRET=\r\nLAST='x'", { mode: 0o640 });
    const made = await claims("webhooks", "create", URL, "--write-env", ".env");
    expect(made.code).toBe(0);
    expect(made.stderr).toContain("other users can read .env");
    expect(readFileSync(path, "utf8")).toMatch(
      /^# mine\r\nPORT=3000\r\nexport CLAIMS_WEBHOOK_SECRET=whsec_[\w-]{43}\r\nLAST='x'$/,
    );
    expect(modeOf(path)).toBe("640");
    const again = await claims("webhooks", "create", URL, "--write-env", ".env", "--json");
    expect(errorOf(again).code).toBe("secret_exists");

    expect((await claims("webhooks", "create", URL, "--write-env", "new.env")).code).toBe(0);
    expect(readFileSync(join(cwd, "new.env"), "utf8")).toMatch(/^CLAIMS_WEBHOOK_SECRET=whsec_[\w-]{43}\n$/);
    expect(modeOf(join(cwd, "new.env"))).toBe("600");
  });

  it("sends nothing if a file cannot be written", async () => {
    const { claims, cwd, endpoints } = await setUp();
    mkdirSync(join(cwd, "folder"));
    const before = await endpoints();
    for (const [flag, path, problem, ...more] of [
      ["--secret-file", "none/whsec.txt", "its folder does not exist"],
      ["--secret-file", "folder", "it is not a file", "--force"],
      ["--write-env", "none/.env", "its folder does not exist"],
      ["--write-env", "folder", "it is"],
    ] as const) {
      const refused = await claims("webhooks", "create", URL, flag, path, ...more, "--json");
      const { code, message } = errorOf(refused);
      expect([refused.code, code], `${flag} ${path}`).toEqual([2, "cannot_write"]);
      expect(message).toContain(problem);
    }
    expect(await endpoints()).toEqual(before);
  });

  it.each([
    ["--secret-file", "one", "--write-env", "one"],
    ["--secret-file", "one", "--out", "./one", "--json"],
    ["--secret-file", "-"],
  ])(
    "sends nothing where one of two would overwrite the other, or a file is none: %s %s %s %s",
    async (...flags) => {
      const { claims, cwd, endpoints } = await setUp();
      const before = await endpoints();
      expect(await claims("webhooks", "create", URL, ...flags)).toMatchObject({ code: 2, stdout: "" });
      expect(readdirSync(cwd)).toEqual([]);
      expect(await endpoints()).toEqual(before);
    },
  );

  it("stores the secret in the profile, where sign, verify and fingerprint find it after option and variable", async () => {
    const { sandbox, claims, cwd } = await setUp();
    await claims("profiles", "set", "local", "--base-url", sandbox.url);
    const wanting = await claims("webhooks", "create", URL, "--store", "--json");
    expect(errorOf(wanting).code).toBe("no_profile");
    const made = await claims("webhooks", "create", URL, "--store", "--profile", "local", "--json");
    expect(made.code).toBe(0);
    const { id, secretPrefix, signingSecret } = JSON.parse(made.stdout);
    expect(signingSecret).toBeUndefined();
    const again = await claims("webhooks", "create", URL, "--store", "--profile", "local", "--json");
    expect(errorOf(again).code).toBe("secret_exists");

    const shown = JSON.parse((await claims("profiles", "show", "local", "--json")).stdout);
    expect(shown.webhookSecret).toMatch(/^[0-9a-f]{8}$/);
    const prints = async (...more: string[]) =>
      JSON.parse(
        (await claims("webhooks", "fingerprint", "--profile", "local", "--json", ...more)).stdout,
      )[0];
    expect(await prints("--endpoint", id)).toMatchObject({
      source: "profile local",
      fingerprint: shown.webhookSecret,
      hasPrefix: true,
    });
    expect(await prints("--secret-prefix", secretPrefix)).toMatchObject({ hasPrefix: true });

    writeFileSync(join(cwd, "body.json"), '{"type":"partner.test"}');
    const headers = await claims("webhooks", "sign", "--body", "body.json", "--profile", "local");
    writeFileSync(join(cwd, "headers.txt"), headers.stdout);
    const verify = ["webhooks", "verify", "--body", "body.json", "--headers", "headers.txt", "--json"];
    expect((await claims(...verify, "--profile", "local")).code).toBe(0);
    expect(errorOf(await claims(...verify)).code).toBe("no_secret");
    writeFileSync(join(cwd, "other.txt"), `whsec_${"x".repeat(43)}`, { mode: 0o600 });
    expect((await claims(...verify, "--profile", "local", "--secret-file", "other.txt")).code).toBe(7);
  });

  it("refuses to store it in the profile of another service", async () => {
    const { claims, sandbox } = await setUp();
    await claims("profiles", "set", "far", "--base-url", "https://partners.example.com");
    const refused = await claims(
      ...["webhooks", "create", URL, "--store", "--profile", "far", "--base-url", sandbox.url, "--json"],
    );
    expect(errorOf(refused).code).toBe("profile_mismatch");
  });

  it("warns of unpublished events, and merges duplicates", async () => {
    const { claims } = await setUp();
    const made = await claims(
      ...["webhooks", "create", URL, "--event", "claim.updated", "--event", "partner.tset"],
      ...["--event", "partner.tset", "--json"],
    );
    expect(JSON.parse(made.stdout).subscribedEvents).toEqual(["claim.updated", "partner.tset"]);
    expect(made.stderr).toContain("warning: claim.updated is not a published event");
    expect(made.stderr).toContain("did you mean partner.test?");
    expect(made.stderr.match(/partner\.tset is not a/g)).toHaveLength(1);
  });

  it.each([
    ["http://127.0.0.1:9/h", "production", "127.0.0.1 is on this machine or a private network"],
    ["http://169.254.169.254/h", "sandbox", "a sandbox never delivers there"],
    ["http://[fe80::1]/h", "all", "a sandbox never delivers there"],
    ["http://10.1.2.3/h", "all", "use --scope sandbox"],
    ["http://hooks.example.com/h", "production", "are not encrypted; use https"],
    ["https://staging.example.com/h", "production", "staging.example.com gets production's events"],
    ["https://hooks.prod.example.com/h", "sandbox", "its name suggests --scope production"],
    ["https://hooks.example.com/h", "sandbox", "if started with --allow-public-webhooks"],
  ])("warns of %s with the scope %s", async (url, scope, warning) => {
    const { claims } = await setUp();
    const made = await claims("webhooks", "create", url, "--scope", scope, "--json");
    expect(made.code).toBe(0);
    expect(made.stderr).toContain(warning);
  });

  it("prints no warning for a suitable scope", async () => {
    const { claims } = await setUp();
    for (const [url, scope] of [
      ["http://localhost:3000/h", "sandbox"],
      ["http://[::1]:3000/h", "sandbox"],
      ["http://receiver:3000/h", "sandbox"],
    ] as const) {
      const made = await claims("webhooks", "create", url, "--scope", scope, "--json");
      expect([made.code, made.stderr], url).toEqual([0, ""]);
    }
  });

  it.each(["hooks.example.com/x", "ftp://127.0.0.1/x", "http://me:pw@127.0.0.1/x", ""])(
    "sends nothing for %j, which is not the URL of a receiver",
    async (url) => {
      const { claims, endpoints } = await setUp();
      const refused = await claims("webhooks", "create", url, "--json");
      expect([refused.code, errorOf(refused).code]).toEqual([2, "invalid_url"]);
      expect(refused.stderr).not.toContain("pw");
      expect(await endpoints()).toHaveLength(1);
    },
  );

  it("shows why the service rejects a request", async () => {
    const { claims } = await setUp();
    const blank = await claims("webhooks", "create", URL, "--label", " ", "--json");
    expect(blank.code).toBe(5);
    expect(errorOf(blank).message).toContain("label");
    const scope = await claims("webhooks", "create", URL, "--scope", "both", "--json");
    expect([scope.code, errorOf(scope).code]).toEqual([2, "invalid_choice"]);
  });

  it("creates no file and shows no secret with --print", async () => {
    const { claims, cwd, endpoints } = await setUp();
    const printed = await claims("webhooks", "create", URL, "--secret-file", "whsec.txt", "--print", "curl");
    expect(printed.stdout).toContain('"environmentScope":"sandbox"');
    expect(existsSync(join(cwd, "whsec.txt"))).toBe(false);
    expect(await endpoints()).toHaveLength(1);
  });
});

describe("webhooks create after a lost response", () => {
  const record = { id: "e-1", label: "x", url: URL };

  it("reports a replay without the secret", async () => {
    const { env } = await startScriptedService((_, response, count) => {
      if (count === 1) response.destroy();
      else sendJson(response, 201, record, { "idempotent-replayed": "true" });
    });
    const cwd = temporaryFolder();
    const create = () =>
      runCli(["webhooks", "create", URL, "--secret-file", "whsec.txt", "--json"], { env, cwd });
    const lost = await create();
    expect([lost.code, errorOf(lost).code]).toEqual([6, "outcome_unknown"]);
    const replayed = await create();
    expect(replayed.stderr).toContain("sending it again with key");
    expect(JSON.parse(replayed.stdout)).toEqual(record);
    expect([replayed.code, errorOf(replayed).code]).toEqual([5, "no_secret_returned"]);
    expect(errorOf(replayed).hint).toContain("run the command again");
    expect(existsSync(join(cwd, "whsec.txt"))).toBe(false);
  });

  it("fails if the service returns no secret", async () => {
    const { env } = await startScriptedService((_, response) => sendJson(response, 201, record));
    const made = await runCli(["webhooks", "create", URL, "--json"], { env });
    expect([made.code, errorOf(made).code]).toEqual([5, "no_secret_returned"]);
    expect(JSON.parse(made.stdout)).toEqual(record);
  });

  it("saves the secret elsewhere if its destination fails", async () => {
    const cwd = temporaryFolder();
    const place = join(cwd, "whsec.txt");
    const signingSecret = `whsec_${"s".repeat(43)}`;
    const { env } = await startScriptedService((_, response) => {
      rmSync(place);
      mkdirSync(join(place, "in-the-way"), { recursive: true });
      sendJson(response, 201, { ...record, signingSecret });
    });
    const made = await runCli(["webhooks", "create", URL, "--secret-file", "whsec.txt", "--json"], {
      env,
      cwd,
    });
    expect([made.code, errorOf(made).code]).toEqual([2, "cannot_write"]);
    expect(JSON.parse(made.stdout)).toEqual(record);
    const [, path = ""] = /the signing secret is in (\S+)$/.exec(errorOf(made).message) ?? [];
    expect(readFileSync(path, "utf8")).toBe(signingSecret);
    expect(modeOf(path)).toBe("600");
    expect(existsSync(join(place, "in-the-way"))).toBe(true);
  });
});

describe("webhooks create while another create stores its secret", () => {
  const signingSecret = `whsec_${"s".repeat(43)}`;

  it("saves the secret elsewhere, and keeps the other one", async () => {
    const cwd = temporaryFolder();
    const other = "CLAIMS_WEBHOOK_SECRET=whsec_of_the_other\n";
    const { env } = await startScriptedService((_, response) => {
      writeFileSync(join(cwd, ".env"), other);
      sendJson(response, 201, { id: "e-1", signingSecret });
    });
    const made = await runCli(["webhooks", "create", URL, "--write-env", ".env", "--json"], { env, cwd });
    expect([made.code, errorOf(made).code]).toEqual([2, "secret_exists"]);
    expect(readFileSync(join(cwd, ".env"), "utf8")).toBe(other);
    const [, path = ""] = /the signing secret is in (\S+)$/.exec(errorOf(made).message) ?? [];
    expect(readFileSync(path, "utf8")).toBe(signingSecret);
  });

  it("saves the secret elsewhere if the destination is a profile", async () => {
    const cwd = temporaryFolder();
    const { env } = await startScriptedService((_, response, count) =>
      setTimeout(() => sendJson(response, 201, { id: `e-${count}`, signingSecret }), 200),
    );
    const claims = (...args: string[]) => runCli(args, { env, cwd });
    await claims("profiles", "set", "p", "--base-url", env.CLAIMS_BASE_URL ?? "");
    const create = () => claims("webhooks", "create", URL, "--store", "--profile", "p", "--json");
    const codes = (await Promise.all([create(), create()])).map(({ code }) => code);
    expect(codes.sort()).toEqual([0, 2]);
  });
});

describe("webhooks list", () => {
  it("shows one page and mentions more, or all pages with --all", async () => {
    const { claims, sandbox } = await setUp();
    for (const label of ["b", "c", "d"])
      await fetch(`${sandbox.url}/v1/webhooks/endpoints`, {
        method: "POST",
        headers: {
          authorization: `Bearer ${sandbox.credentials.sandbox.apiKey}`,
          "content-type": "application/json",
        },
        body: JSON.stringify({
          label,
          url: URL,
          subscribedEvents: ["partner.test"],
          environmentScope: "sandbox",
        }),
      });
    const page = await claims("webhooks", "list", "--limit", "2", "--fields", "label");
    expect(page.stdout).toBe("d\nc\n");
    expect(page.stderr).toContain("there are more webhook endpoints: --all shows all");
    const all = await claims("webhooks", "list", "--limit", "2", "--all", "--fields", "label");
    expect([all.stdout, all.stderr]).toEqual(["d\nc\nb\nSandbox sink\n", ""]);

    const first = JSON.parse((await claims("webhooks", "list", "--limit", "2", "--json")).stdout);
    expect(first.data).toHaveLength(2);
    expect(first.nextCursor).toEqual(expect.any(String));
    const joined = JSON.parse((await claims("webhooks", "list", "--limit", "2", "--all", "--json")).stdout);
    expect(joined).toEqual({ data: [...first.data, ...joined.data.slice(2)], nextCursor: null });
    expect(joined.data).toHaveLength(4);
    const refused = await claims("webhooks", "list", "--limit", "500", "--json");
    expect([refused.code, errorOf(refused).code]).toEqual([5, "validation_failed"]);
  });

  it("shows a table without secrets on a terminal", async () => {
    const { env } = await setUp();
    const person = createTerminalContext({ env });
    expect(await person.run("webhooks", "list", "--no-color")).toBe(0);
    expect(person.stdout.text).toMatch(/^id +label +status +scope +secret +url/);
    expect(person.stdout.text).toMatch(/Sandbox sink +active +all/);
    expect(person.stdout.text).not.toMatch(/whsec_\w{8}/);
  });

  it.each([
    ["a bare list", [{ id: "e-1", state: "paused" }]],
    ["a list under another name", { endpoints: [{ id: "e-1", state: "paused" }], total: 1 }],
  ])("reads %s, keeps unknown fields, and prints the exact bytes", async (_, body) => {
    const { env } = await startScriptedService((_request, response) => sendJson(response, 200, body));
    const claims = (...args: string[]) => runCli(["webhooks", "list", ...args], { env });
    expect((await claims("-q")).stdout).toBe("e-1\n");
    expect((await claims("--ndjson")).stdout).toBe('{"id":"e-1","state":"paused"}\n');
    expect((await claims("--json")).stdout).toBe(`${JSON.stringify(body)}\n`);
    expect(JSON.parse((await claims("--all", "--json")).stdout)).toEqual(body);
  });

  it("reports a response that is not a list, and prints it with --json", async () => {
    const { env } = await startScriptedService((_, response) => sendJson(response, 200, { none: true }));
    const listed = await runCli(["webhooks", "list"], { env });
    expect(listed.code).toBe(6);
    expect(listed.stderr).toContain("expected a list in the response");
    expect((await runCli(["webhooks", "list", "--json"], { env })).stdout).toBe('{"none":true}\n');
  });
});

describe("webhooks test", () => {
  it("sends a test event, and shows exactly what arrives", async () => {
    const { claims } = await setUp();
    const { requests, url } = await startReceiver();
    const { id } = JSON.parse((await claims("webhooks", "create", url, "--json")).stdout);
    const sent = await claims("webhooks", "test", "partner.test", "--endpoint", id, "--json");
    expect(sent.code).toBe(0);
    const { body, previews } = JSON.parse(sent.stdout);
    expect(previews).toHaveLength(1);
    const list = async () => JSON.parse((await claims("webhooks", "deliveries", "--json")).stdout).data[0];
    expect(await list()).toMatchObject({ id: previews[0].deliveryId, status: "delivered", attemptCount: 1 });
    expect(requests).toHaveLength(1);
    expect(requests[0]?.body.toString()).toBe(body);
    const headers = Object.fromEntries(requests[0]?.headers ?? []);
    expect(headers).toMatchObject(previews[0].headers);
  });

  it("shows headers and body of each endpoint on a terminal", async () => {
    const { env } = await setUp();
    const person = createTerminalContext({ env });
    expect(await person.run("webhooks", "test", "partner.test", "--no-color")).toBe(0);
    expect(person.stdout.text).toMatch(/To http:\/\/127\.0\.0\.1:\d+\/_sandbox\/sink\/default/);
    expect(person.stdout.text).toMatch(/X-Service-Signature +[0-9a-f]{64}/);
    expect(person.stdout.text).toMatch(/Body\n\{"id":/);
  });

  it("accepts only a sandbox credential", async () => {
    const { sandbox } = await setUp();
    const production = {
      ...environmentOf(sandbox),
      CLAIMS_API_KEY: sandbox.credentials.production.apiKey,
    };
    const mistaken = await runCli(["webhooks", "test", "partner.test", "--json"], { env: production });
    expect([mistaken.code, errorOf(mistaken).code]).toEqual([4, "wrong_environment"]);
    const declared = await runCli(["webhooks", "test", "partner.test", "--yes", "--json"], {
      env: { ...production, CLAIMS_ENVIRONMENT: "production" },
    });
    expect([declared.code, errorOf(declared).code]).toEqual([4, "wrong_environment"]);
  });

  it.each([
    ["an event that is none of the four", ["claim.updated"], 2, "invalid_choice"],
    ["an endpoint that is not there", ["partner.test", "--endpoint", "x"], 3, "endpoint_not_found"],
  ])("refuses %s", async (_, args, code, name) => {
    const { claims } = await setUp();
    const refused = await claims("webhooks", "test", ...args, "--json");
    expect([refused.code, errorOf(refused).code]).toEqual([code, name]);
  });
});

describe("webhooks fingerprint --endpoint", () => {
  it("distinguishes the secret of the endpoint from another one", async () => {
    const { claims, endpoints } = await setUp();
    const { stdout: id } = await claims("webhooks", "create", URL, "--secret-file", "one.txt", "-q");
    const made = { id: id.trim() };
    const seeded = (await endpoints()).find((each: typeof made) => each.id !== made.id);
    const compare = (id: string, ...more: string[]) =>
      claims("webhooks", "fingerprint", "--secret-file", "one.txt", "--endpoint", id, "--json", ...more);
    expect((await compare(made.id)).code).toBe(0);
    const other = await compare(seeded.id);
    expect([other.code, errorOf(other).code]).toEqual([7, "prefix_mismatch"]);
    expect(errorOf(await compare("nowhere")).code).toEqual("endpoint_not_found");
    expect(errorOf(await compare(made.id, "--secret-prefix", "whsec_a")).code).toBe("option_conflict");
  });
});

describe("profiles set --webhook-secret-file", () => {
  it("stores a signing secret, and shows only its fingerprint", async () => {
    const { claims, cwd, env } = await setUp();
    const secret = `whsec_${"p".repeat(43)}`;
    writeFileSync(join(cwd, "s.txt"), `${secret}\n`, { mode: 0o600 });
    const set = await claims(
      ...["profiles", "set", "one", "--base-url", "https://one.example", "--webhook-secret-file", "s.txt"],
    );
    expect(set.stdout).toMatch(/signing secret\tfingerprint [0-9a-f]{8}/);
    const piped = await runCli(["profiles", "set", "one", "--webhook-secret-file", "-", "--json"], {
      env,
      cwd,
      input: `${secret}\n`,
    });
    expect(JSON.parse(piped.stdout).webhookSecret).toMatch(/^[0-9a-f]{8}$/);
    // Where the profile leads is another matter.
    const moved = await claims("profiles", "set", "one", "--base-url", "https://two.example", "--json");
    expect(JSON.parse(moved.stdout).webhookSecret).toBe(JSON.parse(piped.stdout).webhookSecret);
  });
});
