import { Buffer } from "node:buffer";
import { describe, expect, it, onTestFinished } from "vitest";
import { type Sandbox, startSandbox } from "../../../../../sandbox/index.ts";
import {
  GREASE_DIMENSIONS,
  GREASE_HEADER,
  type GreaseDimension,
} from "../../../../../src/contract/grease.ts";
import { createdEndpoint, delivery } from "../../../../../src/contract/webhooks.ts";
import { headerValues, listHeaders } from "../../../../../src/domain/webhooks/headers.ts";
import { verify } from "../../../../../src/domain/webhooks/signature.ts";
import { GOLDEN_TIME } from "../../../../support/sandbox.ts";

const SEEDS = Array.from({ length: 12 }, (_, seed) => seed);
const ENDPOINT = {
  label: "x",
  url: "http://127.0.0.1:9/",
  subscribedEvents: ["partner.test"],
  environmentScope: "all",
};

async function place(grease: readonly GreaseDimension[], seed: number) {
  const sandbox = await startSandbox({ grease, seed, frozenAt: GOLDEN_TIME, webhookRetries: "none" });
  onTestFinished(() => sandbox.close());
  const ask = async (path: string, json?: object) => {
    const headers = {
      authorization: `Bearer ${sandbox.credentials.sandbox.apiKey}`,
      "content-type": "application/json",
    };
    const answer = await fetch(sandbox.url + path, {
      ...{ headers, method: json ? "POST" : "GET" },
      ...(json && { body: JSON.stringify(json) }),
    });
    return {
      status: answer.status,
      greaseHeader: answer.headers.get(GREASE_HEADER) ?? "",
      text: await answer.text(),
    };
  };
  return { sandbox, ask };
}

/** The items of a page, whatever they are in. */
const itemsIn = (text: string): Record<string, unknown>[] => {
  const document = JSON.parse(text);
  return Array.isArray(document) ? document : (document.data ?? document.items ?? document.results);
};

/** What the interface shows of a record (its label says so). */
const documentedIn = ({ properties }: { readonly properties: object }): string[] =>
  Object.entries(properties as Record<string, { "x-basis"?: string }>).flatMap(([name, field]) =>
    field["x-basis"] === "documented" ? [name] : [],
  );

async function deliveredTo(sandbox: Sandbox, id: unknown) {
  const { deliveries } = await sandbox.webhooks.emit({ type: "partner.test", endpointId: String(id) });
  await sandbox.idle();
  return sandbox.webhooks.delivery(deliveries[0]?.deliveryId ?? "");
}

describe.each(SEEDS)("what the interface documents is the same for seed %d:", (seed) => {
  it("fields, statuses, and the signature", async () => {
    const { sandbox, ask } = await place(GREASE_DIMENSIONS, seed);
    const made = JSON.parse((await ask("/v1/webhooks/endpoints", ENDPOINT)).text) as Record<string, unknown>;
    expect(made).toMatchObject({ ...ENDPOINT, status: "active" });
    expect(Object.keys(made)).toEqual(expect.arrayContaining(documentedIn(createdEndpoint)));

    const { attempts, bodyBase64 } = await deliveredTo(sandbox, made.id);
    const headers = attempts[0]?.headers ?? [];
    const received = {
      headers,
      body: Buffer.from(bodyBase64, "base64"),
      secrets: [String(made.signingSecret)],
    };
    expect(verify({ ...received, now: Date.parse(GOLDEN_TIME), toleranceSeconds: 1 }).verdict).toBe("valid");
    expect(headerValues(listHeaders(headers), GREASE_HEADER)).toEqual([
      expect.stringContaining("payloadForm="),
    ]);

    const list = await ask("/v1/webhook-deliveries");
    expect(Object.keys(itemsIn(list.text)[0] ?? {})).toEqual(expect.arrayContaining(documentedIn(delivery)));
    expect([sandbox.grease.variants.length, ...list.greaseHeader.split(", ")]).toEqual(
      expect.arrayContaining([GREASE_DIMENSIONS.length, expect.stringMatching(/^listEnvelope=/)]),
    );
  });
});

describe("a single dimension", () => {
  it.each(GREASE_DIMENSIONS)(
    "%s leaves ids and secrets as they are, and the control API",
    async (dimension) => {
      const usual = await place([], 5);
      const { sandbox, ask } = await place([dimension], 5);
      expect(sandbox.credentials).toEqual({ ...usual.sandbox.credentials, webhook: expect.anything() });
      expect(sandbox.credentials.webhook.signingSecret).toBe(usual.sandbox.credentials.webhook.signingSecret);
      const idsOf = (text: string) =>
        itemsIn(text)
          .map(({ id }) => id)
          .toSorted();
      expect(idsOf((await ask("/v1/clients")).text)).toEqual(idsOf((await usual.ask("/v1/clients")).text));
      const refused = await ask("/_sandbox/state");
      expect([refused.greaseHeader, JSON.parse(refused.text).code]).toEqual(["", "control_token_invalid"]);
      expect(sandbox.grease.variants).toEqual([expect.stringMatching(`^${dimension}=`)]);
    },
  );

  it("is listed in the header of responses that it changed, and nowhere else", async () => {
    const { sandbox, ask } = await place(["listOrder", "errorShape"], 1);
    expect((await ask("/v1/docs/openapi")).greaseHeader).toBe("");
    expect(sandbox.grease.applied()).toEqual([]);
    expect((await ask("/v1/clients?limit=1")).greaseHeader).toBe("");
    expect((await ask("/v1/clients")).greaseHeader).toBe("listOrder=unordered");
    expect((await ask("/v1/none")).greaseHeader).toBe("errorShape=text");
    expect(sandbox.grease.applied()).toEqual(["listOrder=unordered", "errorShape=text"]);
  });
});
