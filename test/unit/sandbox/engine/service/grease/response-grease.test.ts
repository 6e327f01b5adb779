import { Buffer } from "node:buffer";
import { describe, expect, it } from "vitest";
import type { Sandbox } from "../../../../../../sandbox/index.ts";
import {
  GREASE_DIMENSIONS,
  GREASE_HEADER,
  type GreaseDimension,
} from "../../../../../../src/contract/grease.ts";
import { createdEndpoint, delivery } from "../../../../../../src/contract/operations/webhooks.ts";
import { headerValues } from "../../../../../../src/domain/http-headers.ts";
import { listHeaders } from "../../../../../../src/domain/webhooks/headers.ts";
import { verify } from "../../../../../../src/domain/webhooks/signature.ts";
import { GOLDEN_TIME, sandboxForTest } from "../../../../../support/sandbox.ts";
import { call, post } from "../../../../../support/sandbox-requests.ts";

const SEEDS = Array.from({ length: 12 }, (_, seed) => seed);
const ENDPOINT = {
  label: "x",
  url: "http://127.0.0.1:9/",
  subscribedEvents: ["partner.test"],
  environmentScope: "all",
};

async function startGreased(grease: readonly GreaseDimension[], seed: number) {
  const sandbox = await sandboxForTest({ grease, seed, webhookRetries: "none" });
  const send = async (path: string, json?: object) => {
    const response = await (json ? post(sandbox, path, json) : call(sandbox, path));
    return { ...response, greaseHeader: response.headers.get(GREASE_HEADER) ?? "" };
  };
  return { sandbox, send };
}

/** Returns the items of a page in any envelope. */
const itemsIn = (text: string): Record<string, unknown>[] => {
  const document = JSON.parse(text);
  return Array.isArray(document) ? document : (document.data ?? document.items ?? document.results);
};

/** The fields of a record that the contract labels as documented. */
const documentedIn = ({ properties }: { readonly properties: object }): string[] =>
  Object.entries(properties as Record<string, { "x-basis"?: string }>).flatMap(([name, field]) =>
    field["x-basis"] === "documented" ? [name] : [],
  );

async function deliverTo(sandbox: Sandbox, id: unknown) {
  const { deliveries } = await sandbox.webhooks.emit({ type: "partner.test", endpointId: String(id) });
  await sandbox.idle();
  return sandbox.webhooks.delivery(deliveries[0]?.deliveryId ?? "");
}

describe.each(SEEDS)("grease with seed %d", (seed) => {
  it("keeps documented fields, statuses and the signature", async () => {
    const { sandbox, send } = await startGreased(GREASE_DIMENSIONS, seed);
    const endpoint = JSON.parse((await send("/v1/webhooks/endpoints", ENDPOINT)).text) as Record<
      string,
      unknown
    >;
    expect(endpoint).toMatchObject({ ...ENDPOINT, status: "active" });
    expect(Object.keys(endpoint)).toEqual(expect.arrayContaining(documentedIn(createdEndpoint)));

    const { attempts, bodyBase64 } = await deliverTo(sandbox, endpoint.id);
    const headers = attempts[0]?.headers ?? [];
    const received = {
      headers,
      body: Buffer.from(bodyBase64, "base64"),
      secrets: [String(endpoint.signingSecret)],
    };
    expect(verify({ ...received, now: Date.parse(GOLDEN_TIME), toleranceSeconds: 1 }).verdict).toBe("valid");
    expect(headerValues(listHeaders(headers), GREASE_HEADER)).toEqual([
      expect.stringContaining("payloadForm="),
    ]);

    const list = await send("/v1/webhook-deliveries");
    expect(Object.keys(itemsIn(list.text)[0] ?? {})).toEqual(expect.arrayContaining(documentedIn(delivery)));
    expect([sandbox.grease.variants.length, ...list.greaseHeader.split(", ")]).toEqual(
      expect.arrayContaining([GREASE_DIMENSIONS.length, expect.stringMatching(/^listEnvelope=/)]),
    );
  });
});

describe("a single grease dimension", () => {
  it.each(GREASE_DIMENSIONS)("%s does not change ids, secrets or the control API", async (dimension) => {
    const ungreased = await startGreased([], 5);
    const { sandbox, send } = await startGreased([dimension], 5);
    expect(sandbox.credentials).toEqual({ ...ungreased.sandbox.credentials, webhook: expect.anything() });
    expect(sandbox.credentials.webhook.signingSecret).toBe(
      ungreased.sandbox.credentials.webhook.signingSecret,
    );
    const idsOf = (text: string) =>
      itemsIn(text)
        .map(({ id }) => id)
        .toSorted();
    expect(idsOf((await send("/v1/clients")).text)).toEqual(
      idsOf((await ungreased.send("/v1/clients")).text),
    );
    const refused = await send("/_sandbox/state");
    expect([refused.greaseHeader, JSON.parse(refused.text).code]).toEqual(["", "control_token_invalid"]);
    expect(sandbox.grease.variants).toEqual([expect.stringMatching(`^${dimension}=`)]);
  });

  it("escapes on an error page what the caller sent", async () => {
    const { sandbox } = await startGreased(["errorShape"], 3);
    expect(sandbox.grease.variants).toEqual(["errorShape=html"]);
    const headers = { authorization: `Bearer ${sandbox.credentials.sandbox.apiKey}`, "content-type": "<b>" };
    const refused = await fetch(`${sandbox.url}/v1/clients`, { method: "POST", headers, body: "x" });
    expect(await refused.text()).toContain("&lt;b&gt;");
  });

  it("is listed only in the header of responses that it changed", async () => {
    const { sandbox, send } = await startGreased(["listOrder", "errorShape"], 1);
    expect((await send("/v1/docs/openapi")).greaseHeader).toBe("");
    expect(sandbox.grease.applied).toEqual([]);
    expect((await send("/v1/clients?limit=1")).greaseHeader).toBe("");
    expect((await send("/v1/clients")).greaseHeader).toBe("listOrder=unordered");
    expect((await send("/v1/none")).greaseHeader).toBe("errorShape=text");
    expect(sandbox.grease.applied).toEqual(["listOrder=unordered", "errorShape=text"]);
  });

  it("is not listed for a response without a time, if it writes times with another offset", async () => {
    const { sandbox, send } = await startGreased(["timestampFormat"], 1);
    expect(sandbox.grease.variants).toEqual(["timestampFormat=rfc3339"]);
    expect((await send("/v1/webhook-deliveries")).greaseHeader).toBe("");
    expect(sandbox.grease.applied).toEqual([]);
    expect((await send("/v1/clients")).greaseHeader).toBe("timestampFormat=rfc3339");
  });
});
