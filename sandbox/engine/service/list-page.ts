import { isRecord } from "../../../src/domain/json.ts";

interface ListPage extends Readonly<Record<string, unknown>> {
  readonly data: readonly Readonly<Record<string, unknown>>[];
  readonly nextCursor: string | null;
}

export const isPage = (document: unknown): document is ListPage =>
  isRecord(document) && "nextCursor" in document && Array.isArray(document.data);
