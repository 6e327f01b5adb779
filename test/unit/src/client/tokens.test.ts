import { describe, expect, it } from "vitest";
import type { TokenCache } from "../../../../src/client/auth/access-tokens.ts";
import { catchError, clientForTest } from "../../../support/client.ts";
import { sendJson, startScriptedService } from "../../../support/scripted-service.ts";

const credential = { kind: "oauth_client", clientId: "cl_test", clientSecret: "cs_test_secret" } as const;

/** A cache in memory that records its writes. */
function createRecordingCache(token: string | null = null) {
  const changes: string[] = [];
  let stored = token;
  const cache: TokenCache = {
    read: async () => stored,
    exclusively: (work) =>
      work(async (fresh, expiresIn) => {
        stored = expiresIn === null ? null : fresh;
        if (expiresIn !== null) changes.push(`write ${fresh} ${expiresIn}`);
      }),
  };
  return { cache, changes };
}

/** Issues at-1, at-2, … and accepts only the tokens in `valid`. */
async function startTokenService(valid: readonly string[], more: object = { expires_in: 3600 }) {
  let issuedCount = 0;
  const service = await startScriptedService((request, response) => {
    if (request.url === "/v1/oauth/token") {
      issuedCount += 1;
      return sendJson(response, 200, { access_token: `at-${issuedCount}`, ...more });
    }
    const token = request.headers.authorization?.replace("Bearer ", "") ?? "";
    return sendJson(response, valid.includes(token) ? 200 : 401, {});
  });
  return { ...service, countIssued: () => issuedCount };
}

const read = { method: "GET", path: "/x" } as const;

describe("access tokens", () => {
  it("do not get into the log of requests from an id that repeats them", async () => {
    const lines: string[] = [];
    const { url } = await startScriptedService(({ headers, url: path }, response) =>
      path === "/v1/oauth/token"
        ? sendJson(response, 200, { access_token: "at-1" })
        : sendJson(response, 200, {}, { "x-request-id": `of ${headers.authorization}` }),
    );
    await clientForTest(url, { credential, log: (line) => lines.push(line) }).sendRaw(read);
    expect(lines.at(-1)).toMatch(/^GET \/x → 200 \[redacted\] /);
  });

  it.each([
    ["once for concurrent requests, and cached for the lifetime that the service returns", null],
    ["once more after several requests are refused", "stale"],
  ])("are fetched %s", async (_, cached) => {
    const { url, countIssued } = await startTokenService(["at-1"]);
    const { cache, changes } = createRecordingCache(cached);
    const client = clientForTest(url, { credential, tokenCache: cache });
    await Promise.all([client.sendRaw(read), client.sendRaw(read), client.sendRaw(read)]);
    expect([countIssued(), changes]).toEqual([1, ["write at-1 3600"]]);
  });

  it("come from another process that has fetched one since", async () => {
    const { url, countIssued } = await startTokenService(["newer"]);
    let stored = "stale";
    const cache: TokenCache = {
      read: async () => stored,
      exclusively(work) {
        stored = "newer";
        return work(async () => {});
      },
    };
    await clientForTest(url, { credential, tokenCache: cache }).sendRaw(read);
    expect(countIssued()).toBe(0);
  });

  it("lead to a credential error when a new token is refused too", async () => {
    const { url, countIssued } = await startTokenService([]);
    const error = await catchError(clientForTest(url, { credential }).sendRaw(read));
    expect(error).toMatchObject({ kind: "credential", status: 401 });
    expect(countIssued()).toBe(2);
  });

  it.each([
    [{ expires_in: "120" }, ["write at-1 120"]],
    [{ expires_in: 0.5 }, ["write at-1 0.5"]],
    [{ expires_in: 1e306 }, ["write at-1 31622400"]],
    [{}, []],
    [{ expires_in: "soon" }, []],
  ])("with %j in the token response are cached as %j", async (more, expected) => {
    const { url } = await startTokenService(["at-1"], more);
    const { cache, changes } = createRecordingCache();
    await clientForTest(url, { credential, tokenCache: cache }).sendRaw(read);
    expect(changes).toEqual(expected);
  });
});

describe("fetchToken", () => {
  it("returns the response of the token route despite a cached token, and caches the new one", async () => {
    const { url, requests } = await startTokenService(["at-1"]);
    const { cache, changes } = createRecordingCache("cached");
    const client = clientForTest(url, { credential, tokenCache: cache });
    const response = await client.fetchToken();
    expect(JSON.parse(response.body.toString())).toEqual({ access_token: "at-1", expires_in: 3600 });
    expect(changes).toEqual(["write at-1 3600"]);
    await client.sendRaw(read);
    expect(requests.at(-1)?.headers.authorization).toBe("Bearer at-1");
  });

  it("rejects a response without a valid token, and redacts the secret in a refusal", async () => {
    const withoutToken = await startScriptedService((_, response) => sendJson(response, 200, { token: "x" }));
    const missing = await catchError(clientForTest(withoutToken.url, { credential }).fetchToken());
    expect(missing).toMatchObject({ code: "no_access_token" });
    for (const token of ["two words", "one\nline", "tök", 7]) {
      const odd = await startScriptedService((_, response) =>
        sendJson(response, 200, { access_token: token, expires_in: 60 }),
      );
      const { cache, changes } = createRecordingCache();
      const error = await catchError(clientForTest(odd.url, { credential, tokenCache: cache }).sendRaw(read));
      expect(error).toMatchObject({ kind: "credential", code: "no_access_token" });
      expect(changes).toEqual([]);
    }
    const portal = await startScriptedService((_, response) =>
      response.writeHead(200, { "content-type": "text/html" }).end("<html>Back soon</html>"),
    );
    const page = await catchError(clientForTest(portal.url, { credential }).fetchToken());
    expect(page).toMatchObject({ kind: "unreachable", code: "unexpected_response" });
    const busy = await startScriptedService((_, response) => sendJson(response, 503, {}));
    const later = await catchError(clientForTest(busy.url, { credential }).fetchToken());
    expect(later).toMatchObject({ kind: "unreachable", hint: "try again later" });
    const refusing = await startScriptedService((_, response) =>
      sendJson(response, 400, { error: "invalid_client", error_description: "not cs_test_secret" }),
    );
    const refused = await catchError(clientForTest(refusing.url, { credential }).fetchToken());
    expect(refused).toMatchObject({ kind: "credential", code: "invalid_client" });
    expect((refused as Error).message).toContain("not [redacted]");
  });
});
