import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { errorOf, fixture, runCli, useFastClock } from "../support/cli.ts";
import { startProxy } from "../support/proxy.ts";
import { environmentOf, sandboxForTest, submitArgs } from "../support/sandbox.ts";
import { sendJson, startScriptedService } from "../support/scripted-service.ts";

useFastClock();

const HTTP_URL = "http://service.example";
const HTTPS_URL = "https://service.example:4443";
const CA_FILE = fileURLToPath(new URL("../support/tls/cert.pem", import.meta.url));

const status = ["diligence", "status", "x", "--json"];
const submit = [...submitArgs(fixture("scenario_partial.csv")), "--yes", "--json"];

/** Starts a service, and returns an environment whose base URL only a proxy can reach. */
async function startProxiedService(options?: { secure: boolean }) {
  const service = await startScriptedService(
    (request, response) =>
      sendJson(response, request.method === "POST" ? 202 : 200, { id: "j", state: "queued" }),
    options,
  );
  return { ...service, env: { ...service.env, CLAIMS_BASE_URL: options?.secure ? HTTPS_URL : HTTP_URL } };
}

describe("a proxy", () => {
  it("receives the absolute URL of a plain HTTP service", async () => {
    const { url, env, requests } = await startProxiedService();
    const { host, proxyRequests } = await startProxy(url);
    const result = await runCli(submit, {
      env: { ...env, http_proxy: host, HTTP_PROXY: "http://nowhere.invalid" },
    });
    expect(result).toMatchObject({ code: 0, stdout: expect.stringContaining('"id":"j"') });
    expect(proxyRequests).toMatchObject([{ method: "POST", target: `${HTTP_URL}/v1/diligence/submit` }]);
    expect(requests).toMatchObject([{ headers: { host: "service.example" } }]);
  });

  it("tunnels to an HTTPS service, whose certificate --ca-file verifies", async () => {
    const { url, env, requests } = await startProxiedService({ secure: true });
    const { host, proxyRequests } = await startProxy(url);
    const proxied = { ...env, HTTPS_PROXY: `http://${host}` };
    const trusted = await runCli([...submit, "--ca-file", CA_FILE], { env: proxied });
    expect(trusted, trusted.stderr).toMatchObject({ code: 0 });
    expect(proxyRequests).toMatchObject([{ method: "CONNECT", target: "service.example:4443" }]);
    expect(requests).toHaveLength(1);
    const untrusted = await runCli([...submit, "--on-duplicate", "submit"], { env: proxied });
    expect(errorOf(untrusted)).toMatchObject({ code: "unreachable" });
    expect(errorOf(untrusted).message).toContain("certificate");
    expect(requests).toHaveLength(1);
  });

  it.each([
    [HTTP_URL, "HTTP_PROXY"],
    [HTTPS_URL, "HTTPS_PROXY"],
  ])("receives its user name and password, and the service does not: %s", async (baseUrl, variable) => {
    const { url, env, requests } = await startProxiedService({ secure: baseUrl === HTTPS_URL });
    const { host, proxyRequests } = await startProxy(url, ({ headers }) =>
      headers["proxy-authorization"] === `Basic ${btoa("me:p@ss word")}` ? null : 407,
    );
    const withBaseUrl = { ...env, CLAIMS_BASE_URL: baseUrl };
    const args = [...status, "--ca-file", CA_FILE, "--verbose"];
    const accepted = await runCli(args, {
      env: { ...withBaseUrl, [variable]: `http://me:p%40ss%20word@${host}` },
    });
    expect(accepted.code, accepted.stderr).toBe(0);
    expect(requests).toHaveLength(1);
    const rejected = await runCli(args, {
      env: { ...withBaseUrl, [variable]: `http://me:wrongword@${host}` },
    });
    expect(errorOf(rejected)).toMatchObject({ code: "proxy_refused", exitCode: 6 });
    expect(errorOf(rejected).hint).toContain(variable);
    expect(errorOf(rejected).message).toContain(host);
    expect(accepted.stderr + rejected.stderr).not.toMatch(/p%40ss|p@ss|wrongword/);
    expect(proxyRequests).toHaveLength(2);
    expect(requests).toHaveLength(1);
  });

  it("is named if it refuses the tunnel or is unreachable, and the write was not sent", async () => {
    const { url, env } = await startProxiedService({ secure: true });
    const { host } = await startProxy(url, () => 403);
    const result = await runCli(submit, { env: { ...env, HTTPS_PROXY: host } });
    expect(errorOf(result)).toMatchObject({ code: "proxy_refused", exitCode: 6 });
    expect(errorOf(result).message).toContain(`the proxy ${host} refuses`);
    const expectUnreachableProxy = async (variable: string, baseUrl: string) => {
      const unreachable = {
        ...env,
        CLAIMS_BASE_URL: baseUrl,
        [variable]: "http://me:secretword@127.0.0.1:9",
      };
      const result = await runCli(submit, { env: unreachable });
      expect(errorOf(result)).toMatchObject({
        code: "proxy_refused",
        message: "the proxy 127.0.0.1:9: nothing is listening there (connection refused)",
        hint: expect.stringContaining(variable),
      });
      expect(result.stderr).not.toContain("secretword");
    };
    await Promise.all([
      expectUnreachableProxy("HTTP_PROXY", HTTP_URL),
      expectUnreachableProxy("HTTPS_PROXY", HTTPS_URL),
    ]);
  });

  it.each([
    ["socks5://me:secretword@127.0.0.1:9"],
    ["http://me:secretword@:::"],
    ["http://me:100%secretword@127.0.0.1:9"],
  ])("is refused if its URL is invalid: %s", async (proxy) => {
    const { env } = await startProxiedService();
    const result = await runCli(status, { env: { ...env, HTTP_PROXY: proxy } });
    expect(errorOf(result)).toMatchObject({ code: "option_invalid", exitCode: 2 });
    expect(result.stderr).not.toContain("secretword");
  });

  it("is not used for hosts of NO_PROXY, for the other scheme and for loopback", async () => {
    const { url, env } = await startProxiedService();
    const { host, proxyRequests } = await startProxy(url);
    const expectDirect = async (proxies: Record<string, string>) =>
      expect(errorOf(await runCli(status, { env: { ...env, ...proxies } })).code).toBe("unreachable");
    await Promise.all([
      expectDirect({ HTTP_PROXY: host, NO_PROXY: ".example" }),
      expectDirect({ HTTPS_PROXY: host }),
    ]);
    const sandbox = await sandboxForTest();
    const sandboxEnv = { ...environmentOf(sandbox), HTTP_PROXY: host, HTTPS_PROXY: host };
    expect((await runCli(submit, { env: sandboxEnv })).code).toBe(0);
    expect(proxyRequests).toEqual([]);
  });
});
