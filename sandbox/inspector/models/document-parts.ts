import type { LabelledPart } from "../../../src/contract/assumptions.ts";
import { isRecord } from "../../../src/domain/json.ts";
import type { ServiceForm } from "../../engine/service-form.ts";

/** A part of a contract, as `listLabelledParts` has it. The document of an observed service has one label more. */
export interface DocumentPart extends Pick<LabelledPart, "kind" | "subject" | "source"> {
  readonly basis: LabelledPart["basis"] | "observed";
}

interface Schema {
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly "x-basis"?: DocumentPart["basis"];
  readonly "x-source"?: string;
}

type Content = Readonly<Record<string, { readonly schema?: Schema }>>;

interface DescribedOperation {
  readonly operationId?: string;
  readonly parameters?: readonly (Schema & { readonly name: string; readonly in: string })[];
  readonly requestBody?: { readonly content: Content };
  readonly responses?: Readonly<
    Record<string, { readonly content?: Content; readonly "x-status"?: Schema } & Schema>
  >;
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/** The parts of the operations in the document that a sandbox publishes, by operation and status. */
export type ListDocumentParts = (operation: string, status: number | null) => readonly DocumentPart[];

/** Null for a sandbox whose documents have the form of the contract table. */
export function createDocumentParts({ like, getContract }: ServiceForm): ListDocumentParts | null {
  if (like === null) return null;
  const { paths, components }: Document = JSON.parse(getContract().canonicalJson);
  const operations = Object.values(paths).flatMap((item) => Object.values(item));
  return (operation, status) => {
    const described = operations.find(
      (each): each is DescribedOperation => isRecord(each) && each.operationId === operation,
    );
    if (!described) return [];
    const { parameters = [], requestBody, responses = {} } = described;
    const response = responses[String(status)];
    const read = (kind: DocumentPart["kind"], schema: Schema | undefined, path = "") =>
      listFields(kind, schema, path, components.schemas);
    return [
      ...parameters.map(({ name, ...labels }) => toPart("parameter", name, labels)),
      ...listSchemas(requestBody?.content).flatMap((schema) => read("request", schema)),
      ...listSchemas(response?.content).flatMap((schema) =>
        read(status !== null && status >= 400 ? "problem" : "field", schema),
      ),
      ...(response?.["x-status"]
        ? [toPart("response", `the status is ${status}`, response["x-status"])]
        : []),
    ];
  };
}

const listSchemas = (content: Content = {}): Schema[] =>
  Object.values(content).flatMap(({ schema }) => schema ?? []);

const toPart = (
  kind: DocumentPart["kind"],
  subject: string,
  { "x-basis": basis = "assumed", "x-source": source = "" }: Schema,
): DocumentPart => ({ kind, subject, basis, source });

function listFields(
  kind: DocumentPart["kind"],
  given: Schema | undefined,
  path: string,
  components: Readonly<Record<string, Schema>>,
): DocumentPart[] {
  const schema = given?.$ref ? components[given.$ref.replace("#/components/schemas/", "")] : given;
  if (!schema) return [];
  const { properties = {}, items, anyOf = [], patternProperties = {} } = schema;
  const read = (inner: Schema | undefined, innerPath: string) =>
    listFields(kind, inner, innerPath, components);
  return [
    ...Object.entries(properties).flatMap(([name, field]) => {
      const subject = path === "" ? name : `${path}.${name}`;
      return [toPart(kind, subject, field), ...read(field, subject)];
    }),
    ...read(items, `${path}[]`),
    ...Object.values(patternProperties).flatMap((each) => read(each, `${path}.*`)),
    ...anyOf.flatMap((each) => read(each, path)),
  ];
}
