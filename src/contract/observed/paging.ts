import { isRecord } from "../../domain/json.ts";
import type { HeaderList } from "../../domain/webhooks/headers.ts";
import { isIdentifier } from "./align.ts";

/** The query parameters of the link to the next page. */
export interface SeenPaging {
  readonly cursor: string;
  readonly limit: string | null;
  /** Whether the cursor is a number, such as that of a page. */
  readonly isNumber: boolean;
}

const LIMIT_NAME = /limit|size|count|per_?page|max/i;

/** @param path of the request, with its query */
export function findPaging(path: string, headers: HeaderList, document: unknown): SeenPaging | null {
  const next = findNextLink(headers) ?? findNextUrl(document);
  if (next === null) return null;
  const sent = parseQuery(path);
  const parameters = [...parseQuery(next)].filter(([name]) => isIdentifier(name));
  const limit = parameters.find(([name, value]) => LIMIT_NAME.test(name) && /^\d+$/.test(value));
  const cursor = parameters.find(([name, value]) => name !== limit?.[0] && sent.get(name) !== value);
  return cursor ? { cursor: cursor[0], limit: limit?.[0] ?? null, isNumber: /^\d+$/.test(cursor[1]) } : null;
}

const parseQuery = (target: string) => new URLSearchParams(target.split("#")[0]?.split("?")[1] ?? "");

/** RFC 8288 §3. */
function findNextLink(headers: HeaderList): string | null {
  const links = headers.flatMap(([name, value]) =>
    name.toLowerCase() === "link" ? value.split(/,\s*(?=<)/) : [],
  );
  const next = links.find((link) => /;\s*rel="?[^";]*\bnext\b/i.test(link));
  return /^\s*<([^>]*)>/.exec(next ?? "")?.[1] ?? null;
}

function findNextUrl(document: unknown): string | null {
  if (!isRecord(document)) return null;
  const url = Object.entries(document).find(
    ([name, value]) => /next/i.test(name) && typeof value === "string" && value.includes("?"),
  );
  return url ? String(url[1]) : null;
}
