import { Buffer } from "node:buffer";
import fc, { type Arbitrary } from "fast-check";
import { type DefaultTreeAdapterMap, parse } from "parse5";
import { type Sandbox, startSandbox } from "../../../sandbox/index.ts";
import { codePoint } from "../../support/unicode.ts";
import { RawConnection } from "../http-client.ts";
import { varyService } from "../service.ts";
import { defineTarget, requireThat } from "../target.ts";

interface StoredText {
  /** A name in {@link FIELDS} or `filter`. */
  readonly field: string;
  readonly text: string;
}

interface Input {
  readonly texts: readonly StoredText[];
}

const MARKUP = [
  "<b id=x>",
  "</b>",
  "<i/id=x>",
  '"><img src=//a.example/x onerror=x>',
  "'><svg onload=x>",
  " onfocus=x autofocus ",
  "<meta http-equiv=refresh content='0;url=//a.example/?",
  '<link rel=stylesheet href="//a.example/x.css">',
  "<base href=//a.example/>",
  "<iframe srcdoc='<b>'>",
  "<style>*{background:url(//a.example/x)}</style>",
  "</title>",
  "</textarea>",
  "</pre>",
  "</style>",
  "</script><script>x</script>",
  "<!--",
  "-->",
  "<![CDATA[",
  "<table><tr><td>",
  "<form action=//a.example><input name=x>",
  "&lt;b&gt;",
  "&#60;b&#62;",
  "javascript:x",
  "\u2028",
  "\ufeff",
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

interface Stored {
  /** What the sandbox made of it: only pages of equal outcomes can be compared element by element. */
  readonly outcome: string;
  /** Pages that show the text, apart from those that show everything. */
  readonly paths: readonly string[];
}

/** How a text is written in a field, and how it gets there. */
interface Field {
  readonly encode: (text: string) => string;
  readonly store: (inspected: Inspected, wire: string, index: number) => Promise<Stored>;
}

const send = async (
  { connection, sandbox }: Inspected,
  line: string,
  headers: readonly (readonly [string, string])[] = [],
  body = "",
) => {
  const content = Buffer.from(body);
  const all = [
    ["Host", `127.0.0.1:${sandbox.port}`],
    ["Authorization", `Bearer ${sandbox.credentials.sandbox.apiKey}`],
    ...headers,
    ...(content.length === 0 ? [] : [["Content-Length", String(content.length)]]),
  ];
  const head = `${line} HTTP/1.1\r\n${all.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n`;
  const response = await connection.exchange(Buffer.concat([Buffer.from(head, "latin1"), content]));
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

const exchangeField =
  (
    request: (
      wire: string,
      index: number,
    ) => Parameters<typeof send> extends [unknown, ...infer Rest] ? Rest : never,
  ) =>
  async (inspected: Inspected, wire: string, index: number): Promise<Stored> => {
    const { status } = await send(inspected, ...request(wire, index));
    const [last] = await inspected.sandbox.requests.list({ limit: 1 });
    return { outcome: String(status), paths: [`/requests/${last?.number}`] };
  };

const CSV_HEAD =
  "entry_number,entry_type_code,importer_number,importer_name,entry_date,country_of_origin_code,entered_value,ieepa_duty_paid,liquidation_status";

/** Submits a file, whose job then has the text. */
async function submit(
  inspected: Inspected,
  { seller = "Acme", fileName = "a.csv", importer = "Acme" }: Readonly<Record<string, string>>,
): Promise<Stored> {
  const row = `BND-0000002-9,01,00-4519380AA,"${importer.replaceAll('"', '""')}",2025-09-02,VN,10000.00,2000.00,NOT_LIQUIDATED`;
  const part = (head: string, content: string) =>
    `--fuzz\r\nContent-Disposition: form-data; ${head}\r\n\r\n${content}\r\n`;
  const file = `name="file"; filename="${fileName}"\r\nContent-Type: text/csv`;
  const body = `${part('name="seller_name"', seller)}${part('name="requires_protest_documentation"', "true")}${part(file, `${CSV_HEAD}\n${row}\n`)}--fuzz--\r\n`;
  const type = [["Content-Type", "multipart/form-data; boundary=fuzz"]] as const;
  const response = await send(inspected, "POST /v1/diligence/submit", type, body);
  const [last] = await inspected.sandbox.requests.list({ limit: 1 });
  // Where a service varies, the id may be elsewhere; the file of the run has every job.
  const [, id] = /"jobId":\s*"([\w-]+)"/.exec(response.body.toString()) ?? [];
  const job = response.status < 300 && id !== undefined ? [`/jobs/${id}`] : [];
  const { body: record } = await send(inspected, `GET /v1/diligence/status/${id}`);
  // A seller may be accepted and an entry rejected: a cell must not start like a formula.
  const [rejected] = /"entriesRejected":\s*\d+/.exec(record.toString()) ?? [];
  return {
    outcome: `${response.status} ${rejected}`,
    paths: [`/requests/${last?.number}`, ...job],
  };
}

/** Registers an endpoint, and sends an event to it. */
async function register(inspected: Inspected, label: string, url: string): Promise<Stored> {
  const { sandbox } = inspected;
  const before = await sandbox.webhooks.endpoints();
  const body = `{"label":"${label}","url":"${url}","subscribedEvents":["partner.test"],"environmentScope":"all"}`;
  const { status } = await send(inspected, "POST /v1/webhooks/endpoints", JSON_TYPE, body);
  const known = new Set(before.map(({ id }) => id));
  const created = (await sandbox.webhooks.endpoints()).find(({ id }) => !known.has(id));
  return created ? emit(inspected, "{}", created.id, status) : { outcome: String(status), paths: [] };
}

async function emit(
  { sandbox }: Inspected,
  dataJson: string,
  endpointId: string,
  status = 200,
): Promise<Stored> {
  const { deliveries } = await sandbox.webhooks.emit({ type: "partner.test", dataJson, endpointId });
  // On a frozen clock, a request could begin before or after the attempt.
  await sandbox.idle();
  return { outcome: String(status), paths: deliveries.map(({ deliveryId }) => `/deliveries/${deliveryId}`) };
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
  path: { encode: toTarget, store: exchangeField((wire) => [`GET /v1/claims/${wire}/status`]) },
  alias: { encode: toTarget, store: exchangeField((wire) => [`GET /broker/v1/claims/${wire}/status`]) },
  "unknown path": { encode: toTarget, store: exchangeField((wire) => [`GET /${wire}`]) },
  query: {
    encode: toTarget,
    store: exchangeField((wire) => [`GET /v1/clients?cursor=${wire}&limit=${wire}`]),
  },
  "name in a query": { encode: toTarget, store: exchangeField((wire) => [`GET /v1/clients?a${wire}=1`]) },
  "User-Agent": {
    encode: toLatin1,
    store: exchangeField((wire) => ["GET /v1/clients", [["User-Agent", `a${wire}`]]]),
  },
  "X-Request-Id": {
    encode: toLatin1,
    store: exchangeField((wire) => ["GET /v1/clients", [["X-Request-Id", `a${wire}`]]]),
  },
  "another header": {
    encode: toLatin1,
    store: exchangeField((wire) => ["GET /v1/clients", [["X-A", `a${wire}`]]]),
  },
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
    store: exchangeField((wire) => [
      "POST /v1/clients",
      JSON_TYPE,
      `{"name":"${wire}","reference":"a${wire}"}`,
    ]),
  },
  claim: {
    encode: toJsonString,
    store: exchangeField((wire) => [
      "POST /v1/claims",
      JSON_TYPE,
      `{"clientId":"${wire}","jobId":"${wire}"}`,
    ]),
  },
  "name in JSON": {
    encode: toJsonString,
    store: exchangeField((wire) => ["POST /v1/clients", JSON_TYPE, `{"a${wire}":"${wire}"}`]),
  },
  "text that is no JSON": {
    encode: keep,
    store: exchangeField((wire) => ["POST /v1/clients", JSON_TYPE, `{"a":${wire}`]),
  },
};

const input: Arbitrary<Input> = fc.record({
  texts: fc.array(
    fc.record({
      field: fc.oneof(
        { weight: 20, arbitrary: fc.constantFrom(...Object.keys(FIELDS)) },
        { weight: 1, arbitrary: fc.constant("filter") },
      ),
      text,
    }),
    { minLength: 1, maxLength: 12 },
  ),
});

type Node = DefaultTreeAdapterMap["node"];

/** Attributes whose value a browser may load or open. */
const ADDRESSES = new Set([
  "href",
  "src",
  "action",
  "formaction",
  "srcset",
  "data",
  "poster",
  "background",
  "srcdoc",
]);

/** Written under a long body. As many characters as in the harmless one can be more bytes or fewer. */
const isLengthNote = (node: Node): boolean =>
  "tagName" in node &&
  node.tagName === "p" &&
  node.childNodes.some((child) => "value" in child && /^The first \d+ bytes\.$/.test(child.value));

/** The elements of a page with the names of their attributes, as a parser of HTML sees them. */
function outlineHtml(html: string): string[] {
  const outline: string[] = [];
  const add = (node: Node, depth: number): void => {
    if ("tagName" in node) {
      outline.push(`${depth} ${node.tagName} ${node.attrs.map(({ name }) => name).join(" ")}`);
      for (const { name, value } of node.attrs)
        requireThat(
          !ADDRESSES.has(name) || /^(?:$|#|\/_sandbox\/ui(?:$|[/?]))/.test(value),
          () => `an address that leads elsewhere: ${name}=${value}`,
        );
    } else if (node.nodeName === "#comment") outline.push(`${depth} #comment`);
    const children =
      "content" in node ? node.content.childNodes : "childNodes" in node ? node.childNodes : [];
    for (const child of children) if (!isLengthNote(child)) add(child, depth + 1);
  };
  add(parse(html), 0);
  return outline;
}

const withoutDepth = (outline: readonly string[]): Set<string> =>
  new Set(outline.map((line) => line.replace(/^\d+ /, "")));

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

/** Pages that fold equal lines. */
const FOLDED: ReadonlySet<string> = new Set(["", "/deliveries"]);

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
  "x",
];

/** A page as its path says it, without ids. */
const kindOf = (path: string): string => path.replace(/[?].*$/s, "").replace(/[\w-]*\d[\w-]*/g, "*");

/** A page with the text of others, and the same one with harmless text. */
interface Compared {
  readonly name: string;
  readonly hostile: string;
  readonly harmless: string;
  /** Whether the sandbox took both texts alike: only then must the pages have the same elements in the same order. */
  readonly isEven: boolean;
}

/** 10. The pages, which show what others chose. */
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
    const addKnown = (name: string, outline: readonly string[]): Set<string> => {
      const seen = known.get(name) ?? new Set<string>();
      known.set(name, seen);
      for (const line of withoutDepth(outline)) seen.add(line);
      return seen;
    };
    // An entry may be rejected, and a label may be taken whose harmless twin is too long.
    const { paths: rejected } = await submit(twin, { importer: "=x" });
    const { paths: accepted } = await submit(twin, {});
    const { paths: registered } = await register(twin, "Acme", "http://127.0.0.1:9/");
    const [endpoint] = await twin.sandbox.webhooks.endpoints();
    // Two that fail alike are one line.
    await emit(twin, "{}", endpoint?.id ?? "");
    for (const path of [...rejected, ...accepted, ...registered, "", ...LISTS])
      addKnown(kindOf(path), outlineHtml(await readPage(twin, path)));
    addKnown("run.html", outlineHtml(await twin.sandbox.report()));
    await twin.sandbox.reset();

    async function storeAll(texts: readonly StoredText[]): Promise<Compared[]> {
      const compared: Compared[] = [];
      // Some variants choose by what they respond with.
      let isEven = greaseSeed === null;
      const paths: (readonly [string, string])[] = [];
      for (const [index, { field, text }] of texts.entries()) {
        const found = FIELDS[field];
        if (!found) continue;
        const wire = found.encode(text);
        const hostile = await found.store(subject, wire, index);
        const harmless = await found.store(twin, toHarmless(wire), index);
        isEven &&= hostile.outcome === harmless.outcome && hostile.paths.length === harmless.paths.length;
        for (const [place, path] of hostile.paths.entries())
          if (harmless.paths[place] !== undefined && paths.length < 6)
            paths.push([path, harmless.paths[place]]);
      }
      const filters = texts.filter(({ field }) => field === "filter").map(({ text }) => text);
      for (const list of ["", ...LISTS]) paths.push([`${list}?fold=no`, `${list}?fold=no`]);
      // A search for the one text finds something where the other does not: both are for a text that nothing has.
      for (const filter of filters)
        for (const list of ["", ...LISTS]) {
          const query = (text: string) => `${list}?${FILTERS.map((name) => `${name}=${text}`).join("&")}`;
          paths.push([query(encodeURIComponent(`no-such ${filter}`)), query("no-such")]);
        }
      // Harmless texts of one length are equal, and fold into one line.
      for (const list of FOLDED) paths.push([list, list]);
      for (const [path, twinPath] of paths)
        compared.push({
          ...{ name: kindOf(path), isEven: isEven && !FOLDED.has(path) },
          hostile: await readPage(subject, path),
          harmless: await readPage(twin, twinPath),
        });
      const [hostile, harmless] = [await subject.sandbox.report(), await twin.sandbox.report()];
      return [...compared, { name: "run.html", hostile, harmless, isEven }];
    }

    function check({ name, hostile, harmless, isEven }: Compared): void {
      const [own, other] = [outlineHtml(hostile), outlineHtml(harmless)];
      const seen = addKnown(name, other);
      const added = [...withoutDepth(own)].filter((line) => !seen.has(line));
      requireThat(added.length === 0, () => `${name} has other elements: ${added.join(", ")}`);
      const at = isEven ? own.findIndex((line, index) => line !== other[index]) : -1;
      requireThat(
        at < 0 && (!isEven || own.length === other.length),
        () =>
          `${name}: ${own.slice(at, at + 4).join("; ")} in place of ${other.slice(at, at + 4).join("; ")}`,
      );
      requireThat(!hostile.includes(SECRET), () => `${name} shows a secret`);
    }

    return {
      async check({ texts }) {
        for (const compared of await storeAll(texts)) check(compared);
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
