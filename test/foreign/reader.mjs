// Reads a service by the mapping of its truth.json, with code of its own: what the tool reads is compared with it.

const PATHS = {
  clients: "/v1/clients",
  claims: "/v1/claims",
  offers: "/v1/offers",
  ledger: "/v1/revenue/ledger",
  endpoints: "/v1/webhooks/endpoints",
  deliveries: "/v1/webhook-deliveries",
};

/** The value at a path of a mapping. */
export function at(document, path) {
  let value = document;
  for (const name of path === "" ? [] : path.replaceAll("[]", "").split(".")) {
    if (Array.isArray(value)) value = value[0];
    value = value?.[name];
  }
  return value;
}

/** The first value of a name, at any depth. */
export function findDeep(value, name) {
  if (typeof value !== "object" || value === null) return undefined;
  if (!Array.isArray(value) && name in value) return value[name];
  for (const inner of Object.values(value)) {
    const found = findDeep(inner, name);
    if (found !== undefined) return found;
  }
  return undefined;
}

const lastSegment = (target) => target.replace(/[?#].*$/, "").split("/").findLast(Boolean);

export function createReader(url, key, mapping) {
  async function send(method, path, { json, form, credential = key } = {}) {
    const response = await fetch(new URL(path, url), {
      method,
      headers: {
        authorization: `Bearer ${credential}`,
        accept: "application/json, */*;q=0.5",
        ...(json && { "content-type": "application/json" }),
      },
      body: json ? JSON.stringify(json) : form,
    });
    const text = await response.text();
    // An id beyond 2^53 is read as text.
    const exact = text.replace(/(?<=[:[,]\s*)\d{16,}(?=\s*[,}\]])/g, '"$&"');
    return { status: response.status, headers: response.headers, text, json: parse(exact), url: response.url };
  }

  function parse(text) {
    try {
      return JSON.parse(text);
    } catch {
      return undefined;
    }
  }

  function nextUrl(paging, { headers, json, url: current }, rows, pages) {
    const follow = (parameter, value) => {
      const next = new URL(current);
      next.searchParams.set(parameter, value);
      return next.href;
    };
    const place = (line) => (line.startsWith("header:") ? headers.get(line.slice(7)) : at(json, line));
    if (paging === "none") return null;
    const link = /<([^>]*)>(?:\s*;\s*(?!rel\b)[\w*]+=(?:"[^"]*"|[^",;\s]*))*\s*;\s*rel="?next\b/.exec(headers.get("link") ?? "");
    if (paging === "link") return link && new URL(link[1], current).href;
    if (paging.next !== undefined) {
      const value = at(json, paging.next);
      if (value === undefined || value === null || value === "") return null;
      return paging.parameter ? follow(paging.parameter, String(value)) : new URL(value, current).href;
    }
    const range = /-(\d+)\/(\d+)/.exec(headers.get("content-range") ?? "");
    if (range && Number(range[1]) + 1 >= Number(range[2])) return null;
    if (paging.pages && pages >= Number(place(paging.pages))) return null;
    if (paging.total && rows.length >= Number(place(paging.total))) return null;
    return paging.page ? follow(paging.page, pages + paging.first) : follow(paging.offset, rows.length);
  }

  async function readIds(name) {
    const line = mapping[name];
    const paging = mapping[`${name}.paging`] ?? mapping.paging ?? "none";
    const ids = [];
    let pages = 0;
    for (let next = PATHS[name]; next !== null; ) {
      const response = await send("GET", next);
      const found = at(response.json, line.replace(/\{\}$/, ""));
      const rows = Object.entries(found).map(([id, item]) => at(item, mapping[`${name}.id`] ?? "id") ?? id);
      ids.push(...rows.map(String));
      pages += 1;
      const isEmptyCount = rows.length === 0 && paging.next === undefined && paging !== "link";
      next = isEmptyCount ? null : nextUrl(paging, response, ids, pages);
    }
    return ids;
  }

  function readSubmittedId({ headers, json }) {
    const line = mapping["submitted.id"];
    return line === "header:Location" ? decodeURIComponent(lastSegment(headers.get("location"))) : String(at(json, line));
  }

  return { send, readIds, readSubmittedId };
}
