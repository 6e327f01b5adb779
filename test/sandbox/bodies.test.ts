import { Ajv2020 } from "ajv/dist/2020.js";
import { expect } from "vitest";
import { getContract } from "../../src/contract/openapi.ts";
import { itEachFirst } from "../support/large.ts";
import { sandboxForTest } from "../support/sandbox.ts";
import { post, problemOf } from "../support/sandbox-requests.ts";

interface Schema {
  readonly properties: Readonly<Record<string, object>>;
  readonly required?: readonly string[];
}

interface Described {
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { readonly schema: Schema; readonly examples: Examples }>>;
  };
}

type Examples = Readonly<Record<string, { readonly value?: object; readonly $ref?: string }>>;

const { paths, components } = getContract().document as unknown as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
  readonly components: { readonly examples: Examples };
};

/** The operations with a JSON body, with an example of it. Of the aliases, only this one has a body of its own. */
const OPERATIONS = Object.entries(paths)
  .filter(([path]) => !path.startsWith("/broker/") || path === "/broker/v1/onboard")
  .flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { requestBody }]) => {
      const { schema, examples } = requestBody?.content["application/json"] ?? {};
      const { value, $ref = "" } = examples?.default ?? {};
      const example = value ?? components.examples[$ref.split("/").at(-1) ?? ""]?.value;
      return schema ? [[method.toUpperCase(), path, schema, example] as const] : [];
    }),
  );

const LONG = ["x".repeat(101), "x".repeat(201), `${"x".repeat(250)}@a.example`, "x".repeat(5_001)];
/** Each is no valid value of some field. */
const VALUES = [
  ...[7, null, {}, [], [7], ["x".repeat(201)], Array.from({ length: 1_001 }, () => "a.b")],
  ...["", " ", "a\r\nb", "\0", "a@b\0c", "\u001b[31mred", "a\ud83d", "desk", "us", "123-45-6789", ...LONG],
];

const ajv = new Ajv2020({ strict: false });

itEachFirst(OPERATIONS)(
  "%s %s refuses what its schema does not allow, and points to it",
  async (...operation) => {
    const [method, path, { properties, required = [] }, example] = operation;
    const sandbox = await sandboxForTest();
    const send = async (body: unknown) =>
      problemOf(await post(sandbox, path.replace("{partnerOrgId}", "north-pier"), body, { method }));
    const refusal = (...at: string[]) => ({ status: 422, code: "validation_failed", at });
    expect(await send([example])).toEqual(refusal(""));
    expect(await send({ ...example, unexpected: 1 })).toEqual(refusal("/unexpected"));
    for (const name of required) {
      const { [name as never]: _, ...incomplete } = { ...example };
      expect(await send(incomplete)).toEqual(refusal(`/${name}`));
    }
    for (const [name, schema] of Object.entries(properties)) {
      const isAllowed = ajv.compile(schema);
      const refused = VALUES.filter(
        (value) => !isAllowed(value) || (typeof value === "string" && !value.isWellFormed()),
      );
      expect(refused.length, name).toBeGreaterThan(5);
      for (const value of refused) {
        const { at, ...rest } = await send({ ...example, [name]: value });
        const pointers = [...new Set(at.map((pointer) => pointer?.replace(/\/\d+$/, "")))];
        expect({ ...rest, at: pointers }, JSON.stringify(value).slice(0, 100)).toEqual(refusal(`/${name}`));
      }
    }
  },
);
