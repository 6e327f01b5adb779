import { once } from "node:events";
import { createServer, request } from "node:http";
import { text } from "node:stream/consumers";
import { describe, expect, it, onTestFinished } from "vitest";
import { bareEnvironment, runCli, runProcess, temporaryFile } from "../support/cli.ts";
import { itEachFirst } from "../support/large.ts";
import { findFreePort } from "../support/listen.ts";
import { startSandboxUp } from "../support/sandbox.ts";

/** Exits 0 if the service answers it under the host of its argument. */
const CALLER = `
import { request } from "node:http";
const { CLAIMS_BASE_URL, CLAIMS_API_KEY } = process.env;
const headers = { host: process.argv[2], authorization: "Bearer " + CLAIMS_API_KEY };
request(CLAIMS_BASE_URL + "/v1/clients", { headers }, (response) => {
  process.exitCode = response.statusCode === 200 ? 0 : 3;
  response.resume();
}).end();
`;

async function call(url: string, host: string, key: string) {
  const sent = request(`${url}/v1/clients`, { headers: { host, authorization: `Bearer ${key}` } }).end();
  const [response] = await once(sent, "response");
  return { status: response.statusCode, body: await text(response) };
}

describe("claims sandbox up", () => {
  it("refuses the request of a page whose name is bound to 127.0.0.1, and names the option that would allow it", async () => {
    const { ready } = await startSandboxUp(bareEnvironment());
    const { apiKey } = ready.credentials.sandbox;
    const { status, body } = await call(ready.url, "evil.example:4750", apiKey);
    expect([status, JSON.parse(body).code]).toEqual([421, "host_not_allowed"]);
    expect(body).toContain("--allow-host evil.example");
  });

  it("announces that it keeps idle connections for two minutes", async () => {
    const { ready } = await startSandboxUp(bareEnvironment());
    const sent = request(`${ready.url}/_sandbox/health`, { headers: { connection: "keep-alive" } }).end();
    const [response] = await once(sent, "response");
    response.resume();
    expect(response.headers["keep-alive"]).toBe("timeout=120");
  });

  it("answers to each name of --allow-host, also with --detach", { tags: "large" }, async () => {
    const env = bareEnvironment();
    const names = ["--allow-host", "box.test", "--allow-host", "sandbox"];
    const up = await runProcess(["sandbox", "up", "--port", "0", "--json", "--detach", ...names], { env });
    try {
      const { url, credentials } = JSON.parse(up.stdout);
      const statuses = [];
      for (const host of ["box.test:4750", "Sandbox.", "other.test"])
        statuses.push((await call(url, host, credentials.sandbox.apiKey)).status);
      expect(statuses).toEqual([200, 200, 421]);
    } finally {
      await runProcess(["sandbox", "down"], { env });
    }
  });

  it.each(["http://box.test", "box.test:80", "a b", "*", ""])("refuses --allow-host %j", async (name) => {
    const { code, stderr } = await runCli(["sandbox", "up", "--allow-host", name]);
    expect(code).toBe(2);
    expect(stderr).toContain(`"${name}" is not the name of a host`);
    expect(stderr).toContain("without a scheme and a port");
  });
});

itEachFirst([
  [["--allow-host", "box.test"], 0],
  [[], 3],
])("claims sandbox exec with %j, a program that calls box.test exits %i", async (options, expected) => {
  const program = [process.execPath, temporaryFile("caller.mjs", CALLER), "box.test"];
  const { code } = await runCli(["sandbox", "exec", ...options, "--", ...program]);
  expect(code).toBe(expected);
});

itEachFirst([
  ["--passive", ["--allow-host", "box.test"], 0],
  ["--only=submit", ["--allow-host", "box.test"], 0],
])(
  "claims conformance %s with %j, a program that calls box.test exits %i",
  async (mode, options, expected) => {
    const program = [process.execPath, temporaryFile("caller.mjs", CALLER), "box.test"];
    const { stdout } = await runCli(["conformance", mode, "--json", ...options, "--", ...program]);
    const { scenarios } = JSON.parse(stdout);
    expect(scenarios[0].runs[0].exitCode).toBe(expected);
  },
);

/** Whether this machine has `::1`. */
async function hasIpv6(): Promise<boolean> {
  const server = createServer().listen(0, "::1");
  const isThere = await once(server, "listening").then(
    () => true,
    () => false,
  );
  server.close();
  return isThere;
}

describe.runIf(await hasIpv6())("claims sandbox up on a machine with ::1", () => {
  it("answers there too, at the same port, until it is down", async () => {
    const env = bareEnvironment();
    const { ready } = await startSandboxUp(env);
    const { port } = new URL(ready.url);
    const health = async () => (await fetch(`http://[::1]:${port}/_sandbox/health`)).status;
    expect(await health()).toBe(200);
    expect(await fetch(`http://localhost:${port}/_sandbox/health`).then(({ status }) => status)).toBe(200);
    expect((await runCli(["sandbox", "down"], { env })).code).toBe(0);
    await expect(health()).rejects.toThrow();
  });

  it("refuses a port that another program has there, and leaves 127.0.0.1 alone", async () => {
    const port = await findFreePort();
    const other = createServer().listen(port, "::1");
    onTestFinished(() => void other.close());
    await once(other, "listening");
    const up = await runCli(["sandbox", "up", "--port", String(port)], { env: bareEnvironment() });
    expect(up.code).toBe(6);
    expect(up.stderr).toContain(`another program uses port ${port} on ::1`);
    await expect(fetch(`http://127.0.0.1:${port}/`)).rejects.toThrow();
  });

  it("listens where --host says, and nowhere else", async () => {
    const { ready } = await startSandboxUp(bareEnvironment(), "--host", "127.0.0.1");
    await expect(fetch(`http://[::1]:${new URL(ready.url).port}/_sandbox/health`)).rejects.toThrow();
  });
});
