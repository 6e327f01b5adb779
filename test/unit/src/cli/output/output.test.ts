import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Block, type Output, toListOutput } from "../../../../../src/cli/output/output.ts";
import { print } from "../../../../../src/cli/output/print.ts";
import { toGradedBlocks, toRecordCard } from "../../../../../src/cli/output/record-card.ts";
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

async function printToText(
  output: Output,
  options: Parameters<typeof print>[2] = {},
  { isTerminal = false, columns = 80, hasColour = false } = {},
) {
  const { context, stdout, stderr } = createTerminalContext();
  await print(output, { ...context, stdout: { ...context.stdout, isTerminal, columns, hasColour } }, options);
  return { stdout: stdout.text, stderr: stderr.text };
}

/** What a terminal of that width shows. */
const draw = async (output: Output, columns = 80) =>
  (await printToText(output, {}, { isTerminal: true, columns })).stdout;

describe("print of a list", () => {
  it("prints an aligned table on a terminal, without hidden columns, with a dash for null", async () => {
    const stdout = await draw(fleet());
    expect(stdout).toBe(
      ["id  ship            tons", 'a1  Santa "Maria"  108 t', "b2  Niña·II            –", ""].join("\n"),
    );
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
    expect(await draw(jobs, 48)).toContain(`${id}  entries-o…`);
    expect(await draw(jobs, 40)).toBe(`file\nentries-of-the-last-quarter.csv\n  ${id}\n`);
    const narrow = await draw(jobs, 30);
    for (const line of narrow.trimEnd().split("\n")) expect(line.length).toBeLessThanOrEqual(30);
  });

  it("shows what does not fit below the row, and leaves out an optional column without values", async () => {
    const ship = { id: "a1", name: "Santa Maria", home: "Palos de la Frontera", flag: null };
    const ships = toListOutput({
      items: [ship],
      columns: [
        { name: "id", isId: true },
        { name: "name", title: "ship" },
        { name: "flag", isOptional: true },
        { name: "home", title: "port" },
      ],
      emptyMessage: "no ship",
    });
    expect(await draw(ships, 20)).toBe("id  ship\na1  Santa Maria\n  port: Palos de la\n  Frontera\n");
    expect(await draw(ships)).toMatch(/^id {2}ship +port\n/);
  });

  it("wraps a complete time instead of cutting it", async () => {
    const times = toListOutput({
      items: [{ at: "2026-11-20 00:00", state: "completed" }],
      columns: [{ name: "at", isWhole: true, canWrap: true }, { name: "state" }],
      idOf: ({ at }) => at,
      emptyMessage: "nothing",
    });
    expect(await draw(times, 22)).toBe("at           state\n2026-11-20   completed\n00:00\n");
  });

  it("wraps long text of zero-width characters", async () => {
    const text = `x${"\u0301".repeat(50_000)}`.repeat(2) + "y".repeat(90);
    const notes = toListOutput({
      items: [{ text }],
      columns: [{ name: "text", canWrap: true }],
      emptyMessage: "nothing",
    });
    const stdout = await draw(notes);
    expect(stdout.split("\n").slice(1).join("")).toBe(text);
  });

  it("colours states", async () => {
    const jobs = toListOutput({
      items: [{ id: "partial", status: "partial" }],
      columns: [{ name: "id", isId: true }, { name: "status" }],
      emptyMessage: "no job",
    });
    const { stdout } = await printToText(jobs, {}, { isTerminal: true, hasColour: true });
    expect(stdout).toContain("partial  \u001b[33mpartial\u001b[39m\n");
  });

  it("prints tab-separated values in a pipe: all columns, no header, no tab in a cell", async () => {
    expect((await printToText(fleet())).stdout).toBe(
      'a1\tSanta "Maria"\t108\tCristóbal\nb2\tNiña·II\t\tVicente\n',
    );
  });

  it("prints CSV with a header, quoted according to RFC 4180, with --csv", async () => {
    expect((await printToText(fleet(), { csv: true })).stdout).toBe(
      'id,name,tons,captain\r\na1,"Santa ""Maria""",108,Cristóbal\r\nb2,Niña\tII,,Vicente\r\n',
    );
  });

  it("sanitizes control characters in ids", async () => {
    const odd = "a1\n\u001b[2Jb2";
    const ship = { id: odd, name: "", tons: null, crew: { captain: "" } };
    expect((await printToText(fleet([ship]), { quiet: true })).stdout).toBe("a1··[2Jb2\n");
    const record: Output = { kind: "record", json: ship, id: odd, blocks: [] };
    expect((await printToText(record, { quiet: true })).stdout).toBe("a1··[2Jb2\n");
  });

  it("prints selected and nested fields in any format", async () => {
    const fields = ["crew.captain", "id"];
    expect((await printToText(fleet(), { fields })).stdout).toBe("Cristóbal\ta1\nVicente\tb2\n");
    expect((await printToText(fleet(), { fields, csv: true })).stdout).toContain(
      "crew.captain,id\r\nCristóbal,a1\r\n",
    );
    expect(JSON.parse((await printToText(fleet(), { fields, json: true })).stdout)[0]).toEqual({
      "crew.captain": "Cristóbal",
      id: "a1",
    });
  });

  it("prints a message for an empty list on a terminal only", async () => {
    expect(await printToText(fleet([]), {}, { isTerminal: true })).toEqual({
      stdout: "",
      stderr: "no ship is at sea\n",
    });
    expect(await printToText(fleet([]))).toEqual({ stdout: "", stderr: "" });
  });

  it("rejects two formats at once", async () => {
    await expect(printToText(fleet(), { json: true, csv: true })).rejects.toMatchObject({
      kind: "usage",
      code: "option_conflict",
    });
  });
});

describe("print of a response stream", () => {
  /** A C1 control, an accented letter and a line end, each split between two chunks, then an invalid byte. */
  const bytes = Buffer.concat([Buffer.from('{"a":"\u009b31m é"}\r\n'), Buffer.from([0x9b])]);
  const chunks = Array.from(bytes, (byte) => Buffer.from([byte]));
  const stream: Output = { kind: "stream", body: chunks };

  it("sanitizes control characters on a terminal for any chunks, and escapes them in JSON", async () => {
    expect(await draw(stream)).toBe('{"a":"·31m é"}\r\n\ufffd');
    const json: Output = { kind: "stream", body: chunks.slice(0, -1) };
    const { stdout } = await printToText(json, { json: true }, { isTerminal: true });
    expect(stdout).toBe('{"a":"\\u009b31m é"}\r\n');
  });

  it("keeps the value of JSON that contains a lone carriage return", async () => {
    const sent = '{"a":1,\r\t"b":"\u2028\u202a\u007f"}\r';
    const { stdout } = await printToText(
      { kind: "stream", body: [sent] },
      { json: true },
      { isTerminal: true },
    );
    expect(stdout).toBe('{"a":1,\n\t"b":"\\u2028\\u202a\\u007f"}\n');
    expect(JSON.parse(stdout)).toEqual(JSON.parse(sent));
  });

  it("writes unchanged bytes to a file", async () => {
    const path = join(temporaryFolder(), "saved");
    await printToText(stream, { out: path }, { isTerminal: true });
    expect(readFileSync(path)).toEqual(bytes);
  });
});

describe("print of a record", () => {
  const record: Output = {
    kind: "record",
    id: "a1",
    json: Buffer.from('{"id":"a1",  "tons":108}'),
    blocks: [{ kind: "card", section: "load", rows: [["id", "a1"]] }],
  };

  it("prints the id with -q, and selected fields", async () => {
    expect((await printToText(record, { quiet: true })).stdout).toBe("a1\n");
    expect((await printToText(record, { fields: ["tons"] })).stdout).toBe("108\n");
    expect((await printToText(record, { fields: ["tons"] }, { isTerminal: true })).stdout).toMatch(
      /^ *tons +108$/m,
    );
  });

  it("quotes a blank field name", async () => {
    const json = { "": false, load: { "\t": 108 } };
    const blocks = [toRecordCard("ship", json)];
    const odd: Output = { kind: "record", json, blocks };
    expect((await printToText(odd)).stdout).toBe('ship\t""\tfalse\nship\tload."\\t"\t108\n');
    expect(await draw(odd)).toContain('  ""           false\n');
  });

  it("shows very many fields, and very long ones, on a terminal", { tags: "large" }, async () => {
    const fields = Array.from({ length: 2_000 }, (_, index) => [`field${index}`, index] as const);
    const json = { words: "word ".repeat(20_000), ["n".repeat(50_000)]: "表".repeat(20_000) };
    const blocks: Block[] = [
      toRecordCard("ship", { ...Object.fromEntries(fields), ...json }),
      { kind: "table", columns: [{ name: "a" }, { name: "b" }], rows: fields },
      { kind: "table", columns: [{ name: "wide" }], rows: [...fields, [`${"w".repeat(20_000)} end`]] },
    ];
    const stdout = await draw({ kind: "record", json, blocks });
    expect(stdout.match(/^ {2}field\d+ +\d+$/gm)).toHaveLength(6_000);
    expect(stdout.match(/word/g)).toHaveLength(20_001);
    expect(stdout.length).toBeLessThan(20_000_000);
  });

  it("shows records without common fields as a card, not as a table of all fields", {
    tags: "large",
  }, async () => {
    const names = Array.from({ length: 4_000 }, (_, index) => `name${index}`);
    const byGrade = Object.fromEntries(names.map((name) => [name, { [`${name}Of`]: 1 }]));
    const blocks = toGradedBlocks("offer", "Offer", { byGrade });
    expect(blocks).toHaveLength(1);
    const stdout = await draw({ kind: "record", json: {}, blocks });
    expect(stdout.match(/name\d+Of +1$/gm)).toHaveLength(4_000);
  });

  it("rejects --fields when the response is not JSON", async () => {
    const garbage: Output = { kind: "record", json: Buffer.from("<html>"), blocks: [] };
    await expect(printToText(garbage, { fields: ["x"] })).rejects.toMatchObject({
      code: "unexpected_response",
    });
  });
});

it("print renders 10,000 rows in linear time", { tags: "large" }, async () => {
  // Quadratic time would take minutes and exceed the limit of the test runner.
  const many = Array.from(
    { length: 10_000 },
    (_, index): Ship => ({ id: `${index}`, name: `Ship ${index}`, tons: index, crew: { captain: "–" } }),
  );
  const stdout = await draw(fleet(many));
  expect(stdout.split("\n")).toHaveLength(10_002);
});

it("print wraps a long path between its segments", async () => {
  const paths = toListOutput<{ path: string }>({
    items: [{ path: "/v1/partner-organizations/{partnerOrgId}" }],
    columns: [
      { name: "path", canWrap: true, value: ({ path }) => path },
      { name: "state", value: () => "moved" },
    ],
    idOf: ({ path }) => path,
    emptyMessage: "nothing",
  });
  const stdout = await draw(paths, 25);
  expect(stdout).toBe(
    ["path                state", "/v1/partner-        moved", "organizations/", "{partnerOrgId}", ""].join(
      "\n",
    ),
  );
});

it("print wraps cards and tables at spaces to the width of the terminal", async () => {
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
  const stdout = await draw(record, 40);
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
