import { isUuid } from "./value-forms.ts";

/** Values that we sent, or that the service gave elsewhere, by field. They are evidence while learning, and not kept. */
export class KnownValues {
  readonly #values = new Map<string, Set<unknown>>();

  add(meaning: string, value: unknown): void {
    // A small number occurs everywhere by chance.
    const isTelling = typeof value === "number" ? value > 9 : typeof value === "string" && value.length > 2;
    if (!isTelling) return;
    const known = this.#values.get(meaning) ?? new Set();
    this.#values.set(meaning, known.add(normalize(value)));
  }

  has(meaning: string, value: unknown): boolean {
    if (Array.isArray(value)) return value.some((each) => this.has(meaning, each));
    return this.#values.get(meaning)?.has(normalize(value)) ?? false;
  }

  isKnown(meaning: string): boolean {
    return this.#values.has(meaning);
  }
}

const normalize = (value: unknown): unknown => (isUuid(value) ? value.toLowerCase() : value);

/** What a field holds, for the fields whose values are known from elsewhere. */
const MEANINGS: Readonly<Record<string, string>> = {
  "Client.id": "clientId",
  "Endpoint.id": "endpointId",
  "CreatedEndpoint.id": "endpointId",
  "Claim.id": "claimId",
  "Scan.id": "scanId",
  "Organization.id": "partnerOrgId",
  "event.type": "eventType",
  "Client.name": "importerName",
  "Client.importerNumber": "importerNumber",
  "clients.create request.name": "importerName",
  "clients.create request.importerNumber": "importerNumber",
};

/** Fields that hold the same wherever they are. */
const SHARED = new Set([
  "jobId",
  "entryNumber",
  "scanId",
  "clientId",
  "claimId",
  "endpointId",
  "sellerName",
  "fileName",
  "fileBytes",
]);

/** Undefined for a field whose values are not known from elsewhere. Several ids have the meaning of one. */
export function findMeaning(record: string, field: string): string | undefined {
  const shared = field.replace(/Ids$/, "Id");
  return MEANINGS[`${record}.${field}`] ?? (SHARED.has(shared) ? shared : undefined);
}
