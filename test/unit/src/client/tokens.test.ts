import { describe, expect, it } from "vitest";
import type { TokenCache } from "../../../../src/client/auth/access-tokens.ts";
import { catchError, clientForTest } from "../../../support/client.ts";
import { sendJson, startScriptedService } from "../../../support/scripted-service.ts";

const credential = { kind: "oauth_client", clientId: "cl_test", clientSecret: "cs_test_secret" } as const;

/** A cache in memory, and what was done to it. */
function notedCache(token: string | null = null) {
  const notes: string[] = [];
  let held = token;
  const cache: TokenCache = {
    read: async () => held,
    write: async (fresh, expiresIn) => {
      held = fresh;
      notes.push(`write ${fresh} ${expiresIn}`);
    },
    forget: async (refused) => {
      if (held === refused) held = null;
      notes.push(`forget ${refused}`);
    },
  };
  return { cache, notes };
}

/** Issues at-1, at-2, … and takes only those that are in `good`. */
async function issuer(good: readonly string[], more: object = { expires_in: 3600 }) {
  let issued = 0;
  const service = await startScriptedService((request, response) => {
    if (request.url === "/v1/oauth/token") {
      issued += 1;
      return sendJson(response, 200, { access_token: `at-${issued}`, ...more });
    }
    const token = request.headers.authorization?.replace("Bearer ", "") ?? "";
    return sendJson(response, good.includes(token) ? 200 : 401, {});
  });
  return { ...service, issued: () => issued };
}

const read = { method: "GET", path: "/x" } as const;

describe("access tokens", () => {
  it("are taken from the cache, and no other is asked for", async () => {
    const { url, issued } = await issuer(["cached"]);
    const { cache, notes } = notedCache("cached");
    await clientForTest(url, { credential, tokenCache: cache }).sendRaw(read);
    expect([issued(), notes]).toEqual([0, []]);
  });

  it("are fetched once for requests side by side, and kept for as long as the service says", async () => {
    const { url, issued } = await issuer(["at-1"]);
    const { cache, notes } = notedCache();
    const client = clientForTest(url, { credential, tokenCache: cache });
    await Promise.all([client.sendRaw(read), client.sendRaw(read), client.sendRaw(read)]);
    expect([issued(), notes]).toEqual([1, ["write at-1 3600"]]);
  });

  it("are fetched again once after a refusal, however many requests were refused", async () => {
    const { url, issued } = await issuer(["at-1"]);
    const { cache, notes } = notedCache("stale");
    const client = clientForTest(url, { credential, tokenCache: cache });
    await Promise.all([client.sendRaw(read), client.sendRaw(read), client.sendRaw(read)]);
    expect([issued(), notes]).toEqual([1, ["forget stale", "write at-1 3600"]]);
  });

  it("that are refused twice end in the refusal", async () => {
    const { url, issued } = await issuer([]);
    const error = await catchError(clientForTest(url, { credential }).sendRaw(read));
    expect(error).toMatchObject({ kind: "credential", status: 401 });
    expect(issued()).toBe(2);
  });

  it.each([
    [{ expires_in: "120" }, ["write at-1 120"]],
    [{ expires_in: 0.5 }, ["write at-1 0.5"]],
    [{ expires_in: 1e306 }, ["write at-1 31622400"]],
    [{}, []],
    [{ expires_in: 0 }, []],
    [{ expires_in: -1 }, []],
    [{ expires_in: "" }, []],
    [{ expires_in: "soon" }, []],
    [{ expires_in: true }, []],
  ])("with %j are kept as %j", async (more, expected) => {
    const { url } = await issuer(["at-1"], more);
    const { cache, notes } = notedCache();
    await clientForTest(url, { credential, tokenCache: cache }).sendRaw(read);
    expect(notes).toEqual(expected);
  });
});

describe("fetchToken", () => {
  it("gives the answer of the token route, whatever is cached, and keeps the token", async () => {
    const { url, requests } = await issuer(["at-1"]);
    const { cache, notes } = notedCache("cached");
    const client = clientForTest(url, { credential, tokenCache: cache });
    const answer = await client.fetchToken();
    expect(JSON.parse(answer.body.toString())).toEqual({ access_token: "at-1", expires_in: 3600 });
    expect(notes).toEqual(["write at-1 3600"]);
    await client.sendRaw(read);
    expect(requests.at(-1)?.headers.authorization).toBe("Bearer at-1");
  });

  it("is for OAuth clients", async () => {
    const error = await catchError(clientForTest("http://127.0.0.1:9").fetchToken());
    expect(error).toMatchObject({ kind: "credential", code: "no_oauth_client" });
  });

  it("says so when the answer has no token, or refuses", async () => {
    const silent = await startScriptedService((_, response) => sendJson(response, 200, { token: "x" }));
    const none = await catchError(clientForTest(silent.url, { credential }).fetchToken());
    expect(none).toMatchObject({ code: "no_access_token" });
    for (const token of ["two words", "one\nline", "tök", 7]) {
      const odd = await startScriptedService((_, response) =>
        sendJson(response, 200, { access_token: token, expires_in: 60 }),
      );
      const { cache, notes } = notedCache();
      const error = await catchError(clientForTest(odd.url, { credential, tokenCache: cache }).sendRaw(read));
      expect(error).toMatchObject({ kind: "credential", code: "no_access_token" });
      expect(notes).toEqual([]);
    }
    const strict = await startScriptedService((_, response) =>
      sendJson(response, 400, { error: "invalid_client", error_description: "not cs_test_secret" }),
    );
    const refused = await catchError(clientForTest(strict.url, { credential }).fetchToken());
    expect(refused).toMatchObject({ kind: "credential", code: "invalid_client" });
    expect((refused as Error).message).toContain("not [redacted]");
  });
});
