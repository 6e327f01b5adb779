import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { describe, expect, it } from "vitest";
import type { Sandbox } from "../../../../../sandbox/index.ts";
import { GREASE_DIMENSIONS } from "../../../../../src/contract/grease.ts";
import type { Exchange } from "../../../../../src/contract/observed/exchange.ts";
import { createLearner } from "../../../../../src/contract/observed/learner.ts";
import { buildObservedDocument } from "../../../../../src/contract/observed/observed-document.ts";
import { getContract } from "../../../../../src/contract/openapi.ts";
import { IS_EXHAUSTIVE } from "../../../../support/exhaustive.ts";
import { startRenamingService } from "../../../../support/renaming-service.ts";
import { sandboxForTest } from "../../../../support/sandbox.ts";
import { callEverything } from "../../../../support/service-script.ts";
import { SEEDS } from "../../../../support/variations.ts";

const START = { frozenAt: "2026-11-20T00:00:00Z" };

// biome-ignore lint/suspicious/noExplicitAny: a document of any form
type Document = any;

function learn(exchanges: readonly Exchange[]): Document {
  const learner = createLearner();
  for (const exchange of exchanges) learner.add(exchange);
  return buildObservedDocument(learner.finish(getContract().hash)).document;
}

/** What a document does not allow of the responses. */
function findMismatches({ paths, components }: Document, exchanges: readonly Exchange[]): string[] {
  const ajv = new Ajv2020({ allErrors: true, strict: false });
  addFormats.default(ajv);
  ajv.addSchema({ $id: "contract", components });
  return exchanges.flatMap(({ method, path, status, headers, body }) => {
    const [pathname = ""] = path.split("?");
    const [, item] =
      Object.entries<Document>(paths).find(([template]) =>
        new RegExp(`^${template.replace(/\{\w+\}/g, "[^/]+")}$`).test(pathname),
      ) ?? [];
    const type = headers.find(([name]) => name === "content-type")?.[1].split(";")[0] ?? "";
    const schema = item?.[method.toLowerCase()]?.responses[status]?.content[type]?.schema;
    const where = `${method} ${pathname} ${status} ${type}`;
    if (!schema) return [`${where} is not described`];
    const text = JSON.stringify(schema).replaceAll('"#/components', '"contract#/components');
    const validate = ajv.compile(JSON.parse(text));
    const value = type.includes("json") ? JSON.parse(body) : body;
    return validate(value) ? [] : [`${where}: ${ajv.errorsText(validate.errors)}`];
  });
}

describe("buildObservedDocument", () => {
  it("is our contract with observed for assumed, where a sandbox without variations was seen", async () => {
    const { exchanges } = await callEverything(await sandboxForTest(START));
    const document = learn(exchanges);
    const text = JSON.stringify(document);
    expect(text).toContain('"x-basis":"observed"');
    const { Job, Delivery } = document.components.schemas;
    expect(Job.properties.jobId).toMatchObject({
      "x-basis": "observed",
      "x-source": expect.stringContaining("diligence."),
    });
    expect(Delivery.properties.status["x-basis"]).toBe("documented");
    const withoutLabels = (value: unknown) =>
      JSON.parse(
        JSON.stringify(value, (name, inner) =>
          /^x-(basis|source)$/.test(name)
            ? undefined
            : name === "required" && Array.isArray(inner)
              ? inner.toSorted()
              : inner,
        ),
      );
    document.info = getContract().document.info;
    expect(withoutLabels(document)).toEqual(withoutLabels(getContract().document));
  });

  it.each(IS_EXHAUSTIVE ? SEEDS : SEEDS.slice(0, 1))(
    "describes every response of a service that varies everything, seed %i",
    async (seed) => {
      const { ids } = await callEverything(await sandboxForTest({ ...START, seed }));
      const varied = await sandboxForTest({ ...START, seed, grease: GREASE_DIMENSIONS });
      const { exchanges } = await callEverything(varied, ids);
      expect(findMismatches(getContract().document, exchanges)).not.toEqual([]);
      expect(findMismatches(learn(exchanges), exchanges)).toEqual([]);
    },
  );

  it("describes every response of a service with other names", async () => {
    const sandbox = await sandboxForTest(START);
    const { ids } = await callEverything(sandbox);
    const { url } = await startRenamingService(sandbox);
    const renamed: Sandbox = Object.create(sandbox, { url: { value: url } });
    const { exchanges } = await callEverything(renamed, ids);
    const document = learn(exchanges);
    // What the interface documents is not renamed.
    const documented =
      /^(environmentScope|secretPrefix|subscribedEvents|signingSecret|rf8Review|(attemptCount|(last|next|delivered)\w+))$/;
    const missing = findMismatches(document, exchanges).flatMap(
      (text) => text.split(": ")[1]?.split(", ") ?? text,
    );
    expect(missing.map((text) => text.replace(/^data\S* must have required property '(.*)'$/, "$1"))).toEqual(
      missing.map(() => expect.stringMatching(documented)),
    );
    const { Client, Report } = document.components.schemas;
    expect(Object.keys(Client.properties)).toContain("created_at");
    expect(Report.properties.totals.properties.ieepa_duty).toMatchObject({
      type: "string",
      "x-basis": "observed",
    });
  });
});
