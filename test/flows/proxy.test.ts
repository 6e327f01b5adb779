import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { errorOf, fixture, runCli } from "../support/cli.ts";
import { startProxy } from "../support/proxy.ts";
import { environmentOf, sandboxForTest, submitArgs } from "../support/sandbox.ts";
import { sendJson, startScriptedService } from "../support/scripted-service.ts";

const PLAIN = "http://service.example";
const SECURE = "https://service.example:4443";
const AUTHORITY = fileURLToPath(new URL("../support/tls/cert.pem", import.meta.url));

const status = ["diligence", "status", "x", "--json"];
const submit = [...submitArgs(fixture("scenario_partial.csv")), "--yes", "--json"];

/** A service that is reached through a proxy only. */
async function serviceBehind(options?: { secure: boolean }) {
  const service = await startScriptedService(
    (request, response) =>
      sendJson(response, request.method === "POST" ? 202 : 200, { id: "j", state: "queued" }),
    options,
  );
  return { ...service, env: { ...service.env, CLAIMS_BASE_URL: options?.secure ? SECURE : PLAIN } };
}

describe("a proxy", () => {
  it("is asked for a plain http service by its absolute address", async () => {
    const { url, env, requests } = await serviceBehind();
    const { host, proxyRequests } = await startProxy(url);
    const result = await runCli(submit, {
      env: { ...env, http_proxy: host, HTTP_PROXY: "http://nowhere.invalid" },
    });
    expect(result).toMatchObject({ code: 0, stdout: expect.stringContaining('"id":"j"') });
    expect(proxyRequests).toMatchObject([{ method: "POST", target: `${PLAIN}/v1/diligence/submit` }]);
    expect(requests).toMatchObject([{ headers: { host: "service.example" } }]);
  });

  it("tunnels to an https service, whose authority is the one that is given", async () => {
    const { url, env, requests } = await serviceBehind({ secure: true });
    const { host, proxyRequests } = await startProxy(url);
    const proxied = { ...env, HTTPS_PROXY: `http://${host}` };
    const trusted = await runCli([...submit, "--ca-file", AUTHORITY], { env: proxied });
    expect(trusted, trusted.stderr).toMatchObject({ code: 0 });
    expect(proxyRequests).toMatchObject([{ method: "CONNECT", target: "service.example:4443" }]);
    expect(requests).toHaveLength(1);
    const distrusted = await runCli(submit, { env: proxied });
    expect(errorOf(distrusted)).toMatchObject({ code: "unreachable" });
    expect(errorOf(distrusted).message).toContain("certificate");
    expect(requests).toHaveLength(1);
  });

  it.each([
    [PLAIN, "HTTP_PROXY"],
    [SECURE, "HTTPS_PROXY"],
  ])("gets its name and password, for %s, and no other server gets them", async (baseUrl, variable) => {
    const { url, env, requests } = await serviceBehind({ secure: baseUrl === SECURE });
    const { host, proxyRequests } = await startProxy(url, ({ headers }) =>
      headers["proxy-authorization"] === `Basic ${btoa("me:p@ss word")}` ? null : 407,
    );
    const at = { ...env, CLAIMS_BASE_URL: baseUrl };
    const args = [...status, "--ca-file", AUTHORITY, "--verbose"];
    const known = await runCli(args, { env: { ...at, [variable]: `http://me:p%40ss%20word@${host}` } });
    expect(known.code, known.stderr).toBe(0);
    expect(requests).toHaveLength(1);
    const unknown = await runCli(args, { env: { ...at, [variable]: `http://me:wrongword@${host}` } });
    expect(errorOf(unknown)).toMatchObject({ code: "proxy_refused", exitCode: 6 });
    expect(errorOf(unknown).hint).toContain(variable);
    expect(errorOf(unknown).message).toContain(host);
    expect(known.stderr + unknown.stderr).not.toMatch(/p%40ss|p@ss|wrongword/);
    expect(proxyRequests).toHaveLength(2);
    expect(requests).toHaveLength(1);
  });

  it("that does not let us through, or is not there, is named, and a write is known not to be sent", async () => {
    const { url, env } = await serviceBehind({ secure: true });
    const { host } = await startProxy(url, () => 403);
    const refused = await runCli(submit, { env: { ...env, HTTPS_PROXY: host } });
    expect(errorOf(refused)).toMatchObject({ code: "proxy_refused", exitCode: 6 });
    expect(errorOf(refused).message).toContain(`the proxy ${host} refuses`);
    const absent = async (variable: string, baseUrl: string) => {
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
    await Promise.all([absent("HTTP_PROXY", PLAIN), absent("HTTPS_PROXY", SECURE)]);
  });

  it.each([
    ["socks5://me:secretword@127.0.0.1:9"],
    ["http://me:secretword@:::"],
    ["http://me:100%secretword@127.0.0.1:9"],
  ])("that is none is refused: %s", async (proxy) => {
    const { env } = await serviceBehind();
    const result = await runCli(status, { env: { ...env, HTTP_PROXY: proxy } });
    expect(errorOf(result)).toMatchObject({ code: "invalid_proxy", exitCode: 2 });
    expect(result.stderr).not.toContain("secretword");
  });

  it("is left alone for what NO_PROXY lists, for the other scheme, and for this machine", async () => {
    const { url, env } = await serviceBehind();
    const { host, proxyRequests } = await startProxy(url);
    const direct = async (proxies: Record<string, string>) =>
      expect(errorOf(await runCli(status, { env: { ...env, ...proxies } })).code).toBe("unreachable");
    await Promise.all([direct({ HTTP_PROXY: host, NO_PROXY: ".example" }), direct({ HTTPS_PROXY: host })]);
    const sandbox = await sandboxForTest();
    const here = { ...environmentOf(sandbox), HTTP_PROXY: host, HTTPS_PROXY: host };
    expect((await runCli(submit, { env: here })).code).toBe(0);
    expect(proxyRequests).toEqual([]);
  });
});
