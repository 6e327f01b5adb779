import { Buffer } from "node:buffer";
import fc, { type Arbitrary } from "fast-check";
import { type DefaultTreeAdapterMap, parse } from "parse5";
import { type Sandbox, startSandbox } from "../../../sandbox/index.ts";
import { codePoint } from "../../support/unicode.ts";
import { encodeRequest, RawConnection } from "../http-client.ts";
import { varyService } from "../service.ts";
import { defineTarget, requireThat } from "../target.ts";
import { mostly } from "../text.ts";

interface StoredText {
  /** A name in {@link FIELDS} or `filter`. */
  readonly field: string;
  readonly text: string;
}

interface Input {
  readonly texts: readonly StoredText[];
}

const MARKUP = [
  ...["<b id=x>", "</b>", "<i/id=x>", "<!--", "-->", "<![CDATA[", "&lt;b&gt;", "&#60;b&#62;", "javascript:x"],
  ...["</title>", "</textarea>", "</pre>", "</style>", "<table><tr><td>", "<iframe srcdoc='<b>'>"],
  ...['"><img src=//a.example/x onerror=x>', "'><svg onload=x>", " onfocus=x autofocus "],
  ...[
    "<meta http-equiv=refresh content='0;url=//a.example/?",
    '<link rel=stylesheet href="//a.example/x.css">',
  ],
  ...["<base href=//a.example/>", "<style>*{background:url(//a.example/x)}</style>"],
  ...["</script><script>x</script>", "<form action=//a.example><input name=x>", "\u2028", "\ufeff"],
];

/** Ends in characters that a decoder would keep, so that its end is found. */
const SECRET = "sk_sandbox_aaaaaaaaaaaaaa";

type Coding = (text: string) => string;

const codeEach =
  (code: (character: string) => string): Coding =>
  (text) =>
    text.replace(/[\x20-\x7e]/g, code);

const toHex = (character: string, digits: number): string =>
  character.charCodeAt(0).toString(16).padStart(digits, "0");

const CODINGS: readonly Coding[] = [
  (text) => text,
  codeEach((character) => `%${toHex(character, 2)}`),
  codeEach((character) => `\\u${toHex(character, 4)}`),
  codeEach((character) => `%25${toHex(character, 2)}`),
  codeEach((character) => `\\\\u${toHex(character, 4)}`),
  codeEach((character) => `&#${character.charCodeAt(0)};`),
];

const coding = fc.constantFrom(...CODINGS);

const text: Arbitrary<string> = fc
  .array(
    fc.oneof(
      {
        weight: 4,
        arbitrary: fc.tuple(fc.constantFrom(...MARKUP), coding).map(([each, code]) => code(each)),
      },
      {
        weight: 3,
        arbitrary: fc
          .tuple(fc.nat(SECRET.length), fc.nat(SECRET.length), coding)
          .map(
            ([from, to, code]) =>
              SECRET.slice(0, from) + code(SECRET.slice(from, to)) + SECRET.slice(Math.max(from, to)),
          ),
      },
      { weight: 1, arbitrary: fc.string() },
      { weight: 1, arbitrary: fc.string({ unit: codePoint, maxLength: 4 }) },
      { weight: 1, arbitrary: fc.constantFrom(" ", "%", "\\", "/", '"', "%3", "\\u00") },
    ),
    { minLength: 1, maxLength: 5 },
  )
  // Controls are refused in most fields.
  .map(
    (pieces) =>
      pieces
        .join("")
        .replace(/[\0-\x1f\x7f-\x9f]/g, "")
        .toWellFormed() || "-",
  );

/** A text of the same length that no parser could take for anything else; the parts of a path stay. */
const toHarmless = (wire: string): string => wire.replace(/[^/]/g, "x");

/** A sandbox, and the session of a browser in its inspector. */
interface Inspected {
  readonly sandbox: Sandbox;
  readonly connection: RawConnection;
  readonly cookie: string;
}

/** Where a page shows the text, apart from those that show everything. */
type Shown = readonly string[];

/** How a text is written in a field, and how it gets there. */
interface Field {
  readonly encode: (text: string) => string;
  readonly store: (inspected: Inspected, wire: string, index: number) => Promise<Shown>;
}

const send = async (
  { connection, sandbox }: Inspected,
  line: string,
  headers: readonly (readonly [string, string])[] = [],
  body: string | null = null,
) => {
  const [method = "", target = ""] = line.split(" ");
  const credential = ["Authorization", `Bearer ${sandbox.credentials.sandbox.apiKey}`] as const;
  const response = await connection.exchange(encodeRequest(method, target, [credential, ...headers], body));
  if (!response) throw new Error(`no response to ${line}`);
  return response;
};

const JSON_TYPE = [["Content-Type", "application/json"]] as const;

/** What a JSON document has between quotes: the escapes of the text stay, if they are those of JSON. */
const toJsonString = (text: string): string => {
  try {
    JSON.parse(`"${text}"`);
    return text;
  } catch {
    return JSON.stringify(text).slice(1, -1);
  }
};

const toLatin1 = (text: string): string =>
  Buffer.from(text)
    .toString("latin1")
    .replace(/[\x7f-\x9f]/g, "");

const toTarget = (text: string): string => text.replace(/[^\x21-\x7e]|[?#&=]/gu, encodeURIComponent);

type SentRequest = Parameters<typeof send> extends [unknown, ...infer Rest] ? Rest : never;

const exchangeField =
  (request: (wire: string, index: number) => SentRequest) =>
  async (inspected: Inspected, wire: string, index: number): Promise<Shown> => {
    await send(inspected, ...request(wire, index));
    return showLastRequest(inspected);
  };

async function showLastRequest({ sandbox }: Inspected): Promise<Shown> {
  const [last] = await sandbox.requests.list({ limit: 1 });
  return [`/requests/${last?.number}`];
}

const getField = (header: string) => exchangeField((wire) => ["GET /v1/clients", [[header, `a${wire}`]]]);

const postField = (path: string, body: (wire: string) => string) =>
  exchangeField((wire) => [`POST ${path}`, JSON_TYPE, body(wire)]);

const CSV_HEAD =
  "entry_number,entry_type_code,importer_number,importer_name,entry_date,country_of_origin_code,entered_value,ieepa_duty_paid,liquidation_status";

/** Submits a file, whose job then has the text. */
async function submit(
  inspected: Inspected,
  { seller = "Acme", fileName = "a.csv", importer = "Acme" }: Readonly<Record<string, string>>,
): Promise<Shown> {
  const row = `BND-0000002-9,01,00-4519380AA,"${importer.replaceAll('"', '""')}",2025-09-02,VN,10000.00,2000.00,NOT_LIQUIDATED`;
  const part = (head: string, content: string) =>
    `--fuzz\r\nContent-Disposition: form-data; ${head}\r\n\r\n${content}\r\n`;
  const file = `name="file"; filename="${fileName}"\r\nContent-Type: text/csv`;
  const body = `${part('name="seller_name"', seller)}${part('name="requires_protest_documentation"', "true")}${part(file, `${CSV_HEAD}\n${row}\n`)}--fuzz--\r\n`;
  const type = [["Content-Type", "multipart/form-data; boundary=fuzz"]] as const;
  const response = await send(inspected, "POST /v1/diligence/submit", type, body);
  // Where a service varies, the id may be elsewhere; the file of the run has every job.
  const [, id] = /"jobId":\s*"([\w-]+)"/.exec(response.body.toString()) ?? [];
  const job = response.status < 300 && id !== undefined ? [`/jobs/${id}`] : [];
  return [...(await showLastRequest(inspected)), ...job];
}

/** Registers an endpoint, and sends an event to it. */
async function register(inspected: Inspected, label: string, url: string): Promise<Shown> {
  const { sandbox } = inspected;
  const before = await sandbox.webhooks.endpoints();
  const body = `{"label":"${label}","url":"${url}","subscribedEvents":["partner.test"],"environmentScope":"all"}`;
  await send(inspected, "POST /v1/webhooks/endpoints", JSON_TYPE, body);
  const known = new Set(before.map(({ id }) => id));
  const created = (await sandbox.webhooks.endpoints()).find(({ id }) => !known.has(id));
  return created ? emit(inspected, "{}", created.id) : [];
}

async function emit({ sandbox }: Inspected, dataJson: string, endpointId: string): Promise<Shown> {
  const { deliveries } = await sandbox.webhooks.emit({ type: "partner.test", dataJson, endpointId });
  // On a frozen clock, a request could begin before or after the attempt.
  await sandbox.idle();
  return deliveries.map(({ deliveryId }) => `/deliveries/${deliveryId}`);
}

const keep = (text: string): string => text;

/** Every field of the sandbox that someone else can set. */
const FIELDS: Readonly<Record<string, Field>> = {
  seller: { encode: keep, store: (inspected, seller) => submit(inspected, { seller }) },
  "file name": {
    encode: (text) => text.replaceAll('"', "%22"),
    store: (inspected, fileName) => submit(inspected, { fileName }),
  },
  importer: { encode: keep, store: (inspected, importer) => submit(inspected, { importer }) },
  label: {
    encode: toJsonString,
    store: (inspected, label) => register(inspected, label, "http://127.0.0.1:9/"),
  },
  url: {
    encode: (text) => toJsonString(text.replaceAll("#", "%23")),
    store: (inspected, wire) => register(inspected, "Acme", `http://127.0.0.1:9/${wire}`),
  },
  "user of a url": {
    encode: (text) => toJsonString(toTarget(text).replace(/[/@\\]/g, "")),
    store: (inspected, wire) => register(inspected, "Acme", `http://a:${wire}@127.0.0.1:9/?${wire}`),
  },
  sink: {
    encode: (text) => toJsonString(text.replaceAll("#", "%23")),
    store: (inspected, wire) =>
      register(inspected, "Acme", `${inspected.sandbox.url}/_sandbox/sink/a?x=${wire}`),
  },
  event: {
    encode: toJsonString,
    store: (inspected, wire) =>
      emit(inspected, `{"a":"${wire}","b${wire}":[1]}`, inspected.sandbox.credentials.webhook.endpointId),
  },
  path: { encode: toTarget, store: exchangeField((wire) => [`GET /broker/v1/claims/${wire}/status`]) },
  query: {
    encode: toTarget,
    store: exchangeField((wire) => [`GET /v1/clients?cursor=${wire}&limit=${wire}&a${wire}=1`]),
  },
  "User-Agent": { encode: toLatin1, store: getField("User-Agent") },
  "X-Request-Id": { encode: toLatin1, store: getField("X-Request-Id") },
  "another header": { encode: toLatin1, store: getField("X-A") },
  "Idempotency-Key": {
    encode: toLatin1,
    store: exchangeField((wire, index) => [
      "POST /v1/clients",
      [...JSON_TYPE, ["Idempotency-Key", `${index}-${wire}`]],
      '{"name":"Acme"}',
    ]),
  },
  "Content-Type": {
    encode: toLatin1,
    store: exchangeField((wire) => ["POST /v1/clients", [["Content-Type", `text/a${wire}`]], "a"]),
  },
  client: {
    encode: toJsonString,
    store: postField("/v1/clients", (wire) => `{"name":"${wire}","reference":"a${wire}"}`),
  },
  claim: {
    encode: toJsonString,
    store: postField("/v1/claims", (wire) => `{"clientId":"${wire}","jobId":"${wire}"}`),
  },
  "name in JSON": {
    encode: toJsonString,
    store: postField("/v1/clients", (wire) => `{"a${wire}":"${wire}"}`),
  },
  "text that is no JSON": { encode: keep, store: postField("/v1/clients", (wire) => `{"a":${wire}`) },
};

const input: Arbitrary<Input> = fc.record({
  texts: fc.array(
    fc.record({ field: mostly(fc.constantFrom(...Object.keys(FIELDS)), fc.constant("filter"), 20), text }),
    { minLength: 1, maxLength: 12 },
  ),
});

type Node = DefaultTreeAdapterMap["node"];

/** Attributes whose value a browser may load or open. */
const ADDRESSES = new Set([
  ...["href", "src", "action", "formaction", "srcset", "data", "poster", "background", "srcdoc"],
]);

/** The elements of a page with the names of their attributes, as a parser of HTML sees them. */
function listElements(html: string): Set<string> {
  const elements = new Set<string>();
  const add = (node: Node): void => {
    if ("tagName" in node) {
      elements.add(`${node.tagName} ${node.attrs.map(({ name }) => name).join(" ")}`);
      for (const { name, value } of node.attrs)
        requireThat(
          !ADDRESSES.has(name) || /^(?:$|#|\/_sandbox\/ui(?:$|[/?]))/.test(value),
          () => `an address that leads elsewhere: ${name}=${value}`,
        );
    } else if (node.nodeName === "#comment") elements.add("#comment");
    const children =
      "content" in node ? node.content.childNodes : "childNodes" in node ? node.childNodes : [];
    for (const child of children) add(child);
  };
  add(parse(html));
  return elements;
}

async function startInspected(
  onError: (error: unknown) => void,
  greaseSeed: number | null,
): Promise<Inspected> {
  const sandbox = await startSandbox({
    ...{ onError, frozenAt: "2026-11-20T00:00:00Z", webhookRetries: "none", ...varyService(greaseSeed) },
  });
  const connection = new RawConnection(sandbox.port);
  const inspected = { sandbox, connection, cookie: "" };
  const control = [["Authorization", `Bearer ${sandbox.controlToken}`]] as const;
  const opened = await fetch(`${sandbox.url}/_sandbox/inspect`, {
    method: "POST",
    headers: Object.fromEntries(control),
  });
  const { url } = (await opened.json()) as { url: string };
  const ticket = await send(inspected, `GET ${new URL(url).pathname}`);
  return { ...inspected, cookie: ticket.headers.get("set-cookie")?.replace(/;.*$/s, "") ?? "" };
}

const readPage = async (inspected: Inspected, path: string): Promise<string> => {
  const response = await send(inspected, `GET /_sandbox/ui${path}`, [["Cookie", inspected.cookie]]);
  requireThat(response.status < 500, () => `${path} → ${response.status}\n${response.body}`);
  return response.body.toString();
};

const LISTS = ["/jobs", "/deliveries", "/endpoints", "/records", "/faults", "/state"];

/** The parameters of the lists. */
const FILTERS = [
  "q",
  "show",
  "state",
  "environment",
  "status",
  "endpoint",
  "fold",
  "before",
  "after",
  "rows",
];

/** A page as its path says it, without ids. */
const kindOf = (path: string): string => path.replace(/[?].*$/s, "").replace(/[\w-]*\d[\w-]*/g, "*");

/** 8. The pages, which show what others chose: with any text, they have the elements that they have with a harmless one. */
export const pages = defineTarget<Input>({
  name: "pages",
  arbitrary: input,
  async open(onError, greaseSeed) {
    const [subject, twin] = (await Promise.all([0, 1].map(() => startInspected(onError, greaseSeed)))) as [
      Inspected,
      Inspected,
    ];
    /** What pages with harmless text have had, of each kind. */
    const known = new Map<string, Set<string>>();
    const addKnown = (name: string, html: string): Set<string> => {
      const seen = known.get(name) ?? new Set<string>();
      known.set(name, seen);
      for (const element of listElements(html)) seen.add(element);
      return seen;
    };
    // An entry may be rejected, and a label may be taken whose harmless twin is too long.
    const rejected = await submit(twin, { importer: "=x" });
    const accepted = await submit(twin, {});
    const registered = await register(twin, "Acme", "http://127.0.0.1:9/");
    const [endpoint] = await twin.sandbox.webhooks.endpoints();
    // Two that fail alike are one line.
    await emit(twin, "{}", endpoint?.id ?? "");
    for (const path of [...rejected, ...accepted, ...registered, "", ...LISTS])
      addKnown(kindOf(path), await readPage(twin, path));
    addKnown("run.html", await twin.sandbox.report());
    await twin.sandbox.reset();

    /** Stores the texts in one sandbox and harmless ones in the other, and returns the pages that show them, side by side. */
    async function storeAll(texts: readonly StoredText[]): Promise<(readonly [string, string])[]> {
      const paths: (readonly [string, string])[] = [];
      for (const [index, { field, text }] of texts.entries()) {
        const found = FIELDS[field];
        if (!found) continue;
        const wire = found.encode(text);
        const hostile = await found.store(subject, wire, index);
        const harmless = await found.store(twin, toHarmless(wire), index);
        for (const [place, path] of hostile.entries())
          if (harmless[place] !== undefined && paths.length < 6) paths.push([path, harmless[place]]);
      }
      for (const list of ["", ...LISTS]) paths.push([list, list], [`${list}?fold=no`, `${list}?fold=no`]);
      // A search for the one text finds something where the other does not: both are for a text that nothing has.
      const query = (text: string) => FILTERS.map((name) => `${name}=${text}`).join("&");
      for (const { field, text } of texts)
        if (field === "filter")
          for (const list of ["", ...LISTS])
            paths.push([
              `${list}?${query(encodeURIComponent(`no-such ${text}`))}`,
              `${list}?${query("no-such")}`,
            ]);
      return paths;
    }

    function check(name: string, hostile: string, harmless: string): void {
      const seen = addKnown(name, harmless);
      const added = [...listElements(hostile)].filter((element) => !seen.has(element));
      requireThat(added.length === 0, () => `${name} has other elements: ${added.join(", ")}`);
      requireThat(!hostile.includes(SECRET), () => `${name} shows a secret`);
    }

    return {
      async check({ texts }) {
        for (const [path, twinPath] of await storeAll(texts))
          check(kindOf(path), await readPage(subject, path), await readPage(twin, twinPath));
        check("run.html", await subject.sandbox.report(), await twin.sandbox.report());
        await Promise.all([subject.sandbox.reset(), twin.sandbox.reset()]);
        return { inputs: texts.length };
      },
      async close() {
        for (const { connection, sandbox } of [subject, twin]) {
          connection.close();
          await sandbox.close();
        }
      },
    };
  },
});
