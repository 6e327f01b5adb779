/** The target and the parameters of a link. A quoted parameter may contain commas and semicolons. */
const LINK = /<([^>]*)>((?:\s*;\s*[^\s=;,"<]+(?:\s*=\s*(?:"(?:[^"\\]|\\.)*"|[^\s;,"<]*))?)*)/g;

const PARAMETER = /;\s*([^\s=;,"<]+)(?:\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;,"<]*)))?/g;

/** The target of the first link with a relation (RFC 8288). A link with an `anchor` is about another resource. */
export function findLink(header: string, relation: string): string | null {
  for (const [, target = "", parameters = ""] of header.matchAll(LINK)) {
    const found = new Map<string, string>();
    for (const [, name = "", quoted, bare = ""] of parameters.matchAll(PARAMETER)) {
      // The first `rel` counts (RFC 8288 §3.3).
      const key = name.toLowerCase();
      if (!found.has(key)) found.set(key, quoted?.replace(/\\(.)/g, "$1") ?? bare);
    }
    const relations = found.get("rel")?.toLowerCase().split(/\s+/) ?? [];
    if (relations.includes(relation.toLowerCase()) && !found.has("anchor")) return target;
  }
  return null;
}

/** The id of the record that a URL names; null if there is none. */
export function readLastSegment(url = ""): string | null {
  const segment =
    url
      .replace(/[?#].*$/s, "")
      .split("/")
      .findLast(Boolean) ?? "";
  try {
    return decodeURIComponent(segment) || null;
  } catch {
    // It is not percent-encoded.
    return segment;
  }
}
