import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Output, toListOutput } from "../../../../../src/cli/output/output.ts";
import { print } from "../../../../../src/cli/output/print.ts";
import { temporaryFolder } from "../../../../support/cli.ts";
import { createTerminalContext } from "../../../../support/terminal.ts";

interface Ship {
  readonly id: string;
  readonly name: string;
  readonly tons: number | null;
  readonly crew: { readonly captain: string };
}

const FLEET: readonly Ship[] = [
  { id: "a1", name: 'Santa "Maria"', tons: 108, crew: { captain: "Cristóbal" } },
  { id: "b2", name: "Niña\tII", tons: null, crew: { captain: "Vicente" } },
];

const fleet = (items: readonly Ship[] = FLEET): Output =>
  toListOutput<Ship>({
    items,
    columns: [
      { name: "id", value: ({ id }) => id },
      { name: "name", title: "ship", value: ({ name }) => name },
      {
        name: "tons",
        align: "right",
        value: ({ tons }) => tons,
        display: ({ tons }) => (tons === null ? null : `${tons} t`),
      },
      { name: "captain", isHidden: true, value: ({ crew }) => crew.captain },
    ],
    idOf: ({ id }) => id,
    emptyMessage: "no ship is at sea",
  });

async function printed(
  output: Output,
  options: Parameters<typeof print>[2] = {},
  { isTerminal = false, columns = 80 } = {},
) {
  const { context, stdout, stderr } = createTerminalContext();
  await print(
    output,
    { ...context, stdout: { ...context.stdout, isTerminal, columns } },
    { color: false, ...options },
  );
  return { stdout: stdout.text, stderr: stderr.text };
}

describe("a list", () => {
  it("is an aligned table on a terminal, without hidden columns, with a dash for null", async () => {
    const { stdout } = await printed(fleet(), {}, { isTerminal: true });
    expect(stdout).toBe(
      ["id  ship            tons", 'a1  Santa "Maria"  108 t', "b2  Niña·II            –", ""].join("\n"),
    );
  });

  it("shrinks the widest column on a narrow terminal", async () => {
    const { stdout } = await printed(fleet(), {}, { isTerminal: true, columns: 21 });
    for (const line of stdout.trimEnd().split("\n")) expect(line.length).toBeLessThanOrEqual(21);
    expect(stdout).toContain("…");
  });

  it("shrinks ids last", async () => {
    const id = "8a9c6ea1-c73d-4d7a-962c-075b786dc71e";
    const jobs = toListOutput({
      items: [{ id, file: "entries-of-the-last-quarter.csv" }],
      columns: [
        { name: "id", isId: true, value: (job: { id: string }) => job.id },
        { name: "file", value: (job: { file: string }) => job.file },
      ],
      idOf: (job) => job.id,
      emptyMessage: "no job",
    });
    expect((await printed(jobs, {}, { isTerminal: true, columns: 48 })).stdout).toContain(
      `${id}  entries-o…`,
    );
    expect((await printed(jobs, {}, { isTerminal: true, columns: 40 })).stdout).toBe(`id\n${id}\n`);
    const narrow = (await printed(jobs, {}, { isTerminal: true, columns: 30 })).stdout;
    for (const line of narrow.trimEnd().split("\n")) expect(line.length).toBeLessThanOrEqual(30);
  });

  it("leaves out unreadable columns from the right, never an id", async () => {
    const id = "8a9c6ea1-c73d-4d7a-962c-075b786dc71e";
    const row = {
      id,
      event: "partner.test",
      status: "delivered",
      prefix: "whsec_Ab12Cd",
      url: "http://a.example/hook",
    };
    const wide = toListOutput<typeof row>({
      items: [row],
      columns: [
        { name: "id", isId: true, value: (each) => each.id },
        { name: "event", value: ({ event }) => event },
        { name: "status", value: ({ status }) => status },
        { name: "prefix", isId: true, value: ({ prefix }) => prefix },
        { name: "url", value: ({ url }) => url },
      ],
      idOf: (each) => each.id,
      emptyMessage: "nothing",
    });
    const at = async (columns: number) =>
      (await printed(wide, {}, { isTerminal: true, columns })).stdout.split("\n")[1];
    expect(await at(100)).toBe(`${id}  partner.test  delivered  whsec_Ab12Cd  http://a.example/hook`);
    expect(await at(90)).toBe(`${id}  partner.test  delivered  whsec_Ab12Cd  http://a.exa…`);
    expect(await at(80)).toBe(`${id}  partner.test  delivered  whsec_Ab12Cd`);
    expect(await at(64)).toBe(`${id}  partner.test  whsec_Ab12Cd`);
  });

  it("is tab-separated in a pipe: all columns, no header, no tab in a cell", async () => {
    expect((await printed(fleet())).stdout).toBe(
      'a1\tSanta "Maria"\t108\tCristóbal\nb2\tNiña·II\t\tVicente\n',
    );
  });

  it("is one JSON document, or one line for each item", async () => {
    expect(JSON.parse((await printed(fleet(), { json: true })).stdout)).toEqual(FLEET);
    expect(JSON.parse((await printed(fleet([]), { json: true })).stdout)).toEqual([]);
    const lines = (await printed(fleet(), { ndjson: true })).stdout.trimEnd().split("\n");
    expect(lines.map((line) => JSON.parse(line))).toEqual(FLEET);
  });

  it("is CSV with a header, quoted by RFC 4180", async () => {
    expect((await printed(fleet(), { csv: true })).stdout).toBe(
      'id,name,tons,captain\r\na1,"Santa ""Maria""",108,Cristóbal\r\nb2,Niña\tII,,Vicente\r\n',
    );
  });

  it("is its ids with -q", async () => {
    expect((await printed(fleet(), { quiet: true })).stdout).toBe("a1\nb2\n");
  });

  it("sanitizes control characters in ids", async () => {
    const odd = "a1\n\u001b[2Jb2";
    const ship = { id: odd, name: "", tons: null, crew: { captain: "" } };
    expect((await printed(fleet([ship]), { quiet: true })).stdout).toBe("a1··[2Jb2\n");
    const record: Output = { kind: "record", json: ship, id: odd, blocks: [] };
    expect((await printed(record, { quiet: true })).stdout).toBe("a1··[2Jb2\n");
  });

  it("shows selected and nested fields in any format", async () => {
    const fields = ["crew.captain", "id"];
    expect((await printed(fleet(), { fields })).stdout).toBe("Cristóbal\ta1\nVicente\tb2\n");
    expect((await printed(fleet(), { fields, csv: true })).stdout).toContain(
      "crew.captain,id\r\nCristóbal,a1\r\n",
    );
    expect(JSON.parse((await printed(fleet(), { fields, json: true })).stdout)[0]).toEqual({
      "crew.captain": "Cristóbal",
      id: "a1",
    });
  });

  it("names a missing field and the existing ones", async () => {
    await expect(printed(fleet(), { fields: ["id", "nmae"] })).rejects.toMatchObject({
      kind: "usage",
      message: "no field nmae",
      hint: "the fields are id, name, tons, crew",
    });
  });

  it("prints a message for an empty list on a terminal only", async () => {
    expect(await printed(fleet([]), {}, { isTerminal: true })).toEqual({
      stdout: "",
      stderr: "no ship is at sea\n",
    });
    expect(await printed(fleet([]))).toEqual({ stdout: "", stderr: "" });
  });

  it("refuses two formats", async () => {
    await expect(printed(fleet(), { json: true, csv: true })).rejects.toMatchObject({
      kind: "usage",
      code: "conflicting_formats",
    });
  });

  it("writes a complete file, by default as JSON", async () => {
    const path = join(temporaryFolder(), "fleet");
    expect((await printed(fleet(), { out: path }, { isTerminal: true })).stdout).toBe("");
    expect(JSON.parse(readFileSync(path, "utf8"))).toEqual(FLEET);
    await printed(fleet(), { out: path, quiet: true });
    expect(readFileSync(path, "utf8")).toBe("a1\nb2\n");
  });
});

describe("bytes of a service", () => {
  /** A C1 control, an e with an accent and a line end, each split between two pieces; and what is no UTF-8. */
  const bytes = Buffer.concat([Buffer.from('{"a":"\u009b31m é"}\r\n'), Buffer.from([0x9b])]);
  const pieces = Array.from(bytes, (byte) => Buffer.from([byte]));
  const stream: Output = { kind: "stream", body: pieces };

  it("are sanitized on a terminal in any chunks, and escaped in JSON", async () => {
    expect((await printed(stream, {}, { isTerminal: true })).stdout).toBe('{"a":"·31m é"}\r\n\ufffd');
    const json: Output = { kind: "stream", body: pieces.slice(0, -1) };
    const { stdout } = await printed(json, { json: true }, { isTerminal: true });
    expect(stdout).toBe('{"a":"\\u009b31m é"}\r\n');
  });

  it("keep their value as JSON with a lone carriage return", async () => {
    const sent = '{"a":1,\r\t"b":"\u2028\u202a\u007f"}\r';
    const { stdout } = await printed({ kind: "stream", body: [sent] }, { json: true }, { isTerminal: true });
    expect(stdout).toBe('{"a":1,\n\t"b":"\\u2028\\u202a\\u007f"}\n');
    expect(JSON.parse(stdout)).toEqual(JSON.parse(sent));
  });

  it("are unchanged in a pipe and in a file", async () => {
    const path = join(temporaryFolder(), "saved");
    await printed(stream, { out: path }, { isTerminal: true });
    expect(readFileSync(path)).toEqual(bytes);
  });
});

describe("a record", () => {
  const record: Output = {
    kind: "record",
    id: "a1",
    json: Buffer.from('{"id":"a1",  "tons":108}'),
    blocks: [{ kind: "card", section: "load", rows: [["id", "a1"]] }],
  };

  it("keeps the bytes of the service", async () => {
    expect((await printed(record, { json: true })).stdout).toBe('{"id":"a1",  "tons":108}\n');
  });

  it("prints its id and fields", async () => {
    expect((await printed(record, { quiet: true })).stdout).toBe("a1\n");
    expect((await printed(record, { fields: ["tons"] })).stdout).toBe("108\n");
    expect((await printed(record, { fields: ["tons"] }, { isTerminal: true })).stdout).toMatch(
      /^ *tons +108$/m,
    );
  });

  it("has no fields if it is not JSON", async () => {
    const garbage: Output = { kind: "record", json: Buffer.from("<html>"), blocks: [] };
    await expect(printed(garbage, { fields: ["x"] })).rejects.toMatchObject({ code: "unexpected_response" });
  });
});

it("renders 10,000 rows in linear time", async () => {
  // A quadratic table would need minutes; the runner's own limit is the measure.
  const many = Array.from(
    { length: 10_000 },
    (_, index): Ship => ({ id: `${index}`, name: `Ship ${index}`, tons: index, crew: { captain: "–" } }),
  );
  const { stdout } = await printed(fleet(many), {}, { isTerminal: true });
  expect(stdout.split("\n")).toHaveLength(10_002);
});

it("wraps text in its column", async () => {
  const findings = toListOutput<{ check: string; detail: string }>({
    items: [{ check: "proxy", detail: "HTTP_PROXY is set and takes requests to this host" }],
    columns: [
      { name: "check", value: ({ check }) => check },
      { name: "detail", canWrap: true, value: ({ detail }) => detail },
    ],
    idOf: ({ check }) => check,
    emptyMessage: "nothing",
  });
  const { stdout } = await printed(findings, {}, { isTerminal: true, columns: 30 });
  expect(stdout).toBe(
    [
      "check  detail",
      "proxy  HTTP_PROXY is set and",
      "       takes requests to this",
      "       host",
      "",
    ].join("\n"),
  );
});

it("wraps a long path between its segments", async () => {
  const paths = toListOutput<{ path: string }>({
    items: [{ path: "/v1/partner-organizations/{partnerOrgId}" }],
    columns: [
      { name: "path", canWrap: true, value: ({ path }) => path },
      { name: "state", value: () => "moved" },
    ],
    idOf: ({ path }) => path,
    emptyMessage: "nothing",
  });
  const { stdout } = await printed(paths, {}, { isTerminal: true, columns: 25 });
  expect(stdout).toBe(
    ["path                state", "/v1/partner-        moved", "organizations/", "{partnerOrgId}", ""].join(
      "\n",
    ),
  );
});

it("wraps cards and tables at spaces to the width of the terminal", async () => {
  const sentence = "verify the raw bytes before anything parses them";
  const id = "8a9c6ea1-c73d-4d7a-962c-075b786dc71e";
  const record: Output = {
    kind: "record",
    json: {},
    blocks: [
      {
        kind: "card",
        section: "cause",
        rows: [
          ["fix", sentence],
          ["id", id],
        ],
      },
      {
        kind: "table",
        columns: [{ name: "case" }, { name: "sends" }, { name: "ms", align: "right" }],
        rows: [["raw", sentence, 7]],
      },
    ],
  };
  const { stdout } = await printed(record, {}, { isTerminal: true, columns: 40 });
  expect(stdout.split("\n")).toEqual([
    "  fix    verify the raw bytes before",
    "         anything parses them",
    `  id     ${id}`,
    "",
    "  case  sends                        ms",
    "  raw   verify the raw bytes before   7",
    "        anything parses them",
    "",
  ]);
});
