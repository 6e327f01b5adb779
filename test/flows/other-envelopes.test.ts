import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { errorOf, runCli, temporaryFile, temporaryFolder, useFastClock } from "../support/cli.ts";
import { sendJson, startScriptedService } from "../support/scripted-service.ts";
import { createTerminalContext } from "../support/terminal.ts";

useFastClock();

const JOB = "7d9c5a0e-5d0c-4f39-8a39-0c9f3e6a1f10";
const OTHER_JOB = "11111111-5d0c-4f39-8a39-0c9f3e6a1f10";
const REVIEW = { rf8Review: { outcome: "clear" } };

/** A service that sends one document for each route of a job. */
async function startJobService({ status, report = REVIEW, dataset = {} }: Readonly<Record<string, unknown>>) {
  const { env } = await startScriptedService(({ url = "" }, response) => {
    if (url.includes("/openapi")) return sendJson(response, 404, {});
    if (url.includes("/dataset/") && typeof dataset === "string")
      return response.writeHead(200, { "content-type": "application/x-ndjson" }).end(dataset);
    const document = url.includes("/status/") ? status : url.includes("/report/") ? report : dataset;
    sendJson(response, 200, document);
  });
  return (...args: string[]) => runCli(["diligence", ...args], { env });
}

describe("diligence wait", () => {
  it.each([
    ["JSend, in progress", { status: "success", data: { jobId: JOB, status: "processing" } }, 8],
    ["JSend, partial", { status: "success", data: { jobId: JOB, status: "partial" } }, 9],
    ["JSend, completed", { status: "success", data: { jobId: JOB, status: "completed" } }, 0],
    ["a state beside a result", { state: "success", result: { jobId: JOB, state: "failed" } }, 9],
    ["an envelope in another", { status: "success", data: { data: { id: JOB, state: "partial" } } }, 9],
    ["a job with a result of its own", { jobId: JOB, state: "completed", result: { status: "failed" } }, 0],
    ["an envelope without a state inside", { status: "completed", data: { rows: 3 } }, 0],
    ["an envelope of any name", { status: "success", item: { id: JOB, status: "failed" } }, 9],
    ["a list of one", { status: "complete", jobs: [{ id: JOB, status: "failed" }] }, 9],
    ["a result beside done", { jobId: JOB, status: "done", result: "partial" }, 9],
    ["a status beside a state", { jobId: JOB, state: "done", status: "failed" }, 9],
    ["the result of an earlier run", { jobId: JOB, state: "queued", result: "failed" }, 8],
    ["an error", { jobId: JOB, state: "completed", error: { code: "EXPORT", message: "failed" } }, 5],
    ["no error", { jobId: JOB, state: "completed", error: null }, 0],
  ])("reads the state of the job, not of its envelope: %s", async (_, status, code) => {
    const refusal = { status: "success", data: { jobId: JOB } };
    const diligence = await startJobService({ status, report: code === 8 ? refusal : REVIEW });
    const result = await diligence("wait", JOB, "--timeout", "5s", "--json");
    expect(result.code, result.stderr).toBe(code);
  });

  it("does not take the attributes of JSON:API for the end of the job", async () => {
    const data = { type: "jobs", id: JOB, attributes: { state: "processing" } };
    const diligence = await startJobService({ status: { status: "success", data }, report: {} });
    expect((await diligence("wait", JOB, "--timeout", "5s")).code).toBe(8);
  });
});

it.each([
  ["data", { data: { id: JOB, attributes: { state: "completed" } } }, ["attributes.state", "id"]],
  ["a list of one", { status: "ok", jobs: [{ id: JOB, status: "failed" }] }, ["id", "status"]],
  [
    "two envelopes",
    { data: { result: { id: JOB, note: "x" } }, meta: { took: 3 } },
    ["id", "meta.took", "note"],
  ],
])("diligence status prints each field once: %s", async (_, status, names) => {
  const diligence = await startJobService({ status });
  const { stdout } = await diligence("status", JOB);
  const fields = stdout
    .trimEnd()
    .split("\n")
    .map((line) => line.split("\t")[1]);
  expect(fields.sort()).toEqual(names);
});

describe("a job that has not ended by evidence", () => {
  it.each([
    [
      "a word that is not known",
      { jobId: JOB, status: "in_progress" },
      `job ${JOB} is still in_progress after 5 s`,
    ],
    [
      "a word that may be an end",
      { jobId: JOB, status: "finished" },
      `job ${JOB} is still finished after 5 s`,
    ],
    ["no state", { jobId: JOB, rows: 3 }, `job ${JOB} has not ended after 5 s; its response shows no state`],
  ])("is waited for again, and nobody is told what its word means: %s", async (_, status, message) => {
    const { env } = await startScriptedService(({ url = "" }, response) =>
      url.includes("/status/")
        ? sendJson(response, 200, status)
        : sendJson(response, 404, { detail: "there is no report" }),
    );
    const result = await runCli(["diligence", "wait", JOB, "--timeout", "5s", "--json"], { env });
    expect([result.code, errorOf(result)]).toEqual([
      8,
      expect.objectContaining({ message, hint: expect.stringContaining(`claims diligence wait ${JOB}`) }),
    ]);
    expect(errorOf(result).hint).not.toContain("job.words");
  });
});

describe("a response of another job", () => {
  it.each(["status", "wait", "report"])("is refused by %s", async (verb) => {
    const document = { jobId: OTHER_JOB, state: "completed", ...REVIEW };
    const diligence = await startJobService({ status: document, report: document });
    const result = await diligence(verb, JOB, "--json");
    expect([result.code, result.stdout]).toEqual([7, ""]);
    expect(errorOf(result)).toMatchObject({ code: "wrong_job", jobId: JOB });
    expect(errorOf(result).message).toContain(OTHER_JOB);
  });

  it("has the same id in another letter case, or as a number beyond 2^53", async () => {
    const upper = await startJobService({ status: { jobId: JOB.toUpperCase(), state: "completed" } });
    expect((await upper("status", JOB)).code).toBe(0);
    const { env } = await startScriptedService((_, response) =>
      response.writeHead(200, { "content-type": "application/json" }).end('{"jobId":9224851642388483}'),
    );
    expect((await runCli(["diligence", "status", "9224851642388483"], { env })).code).toBe(0);
    expect((await runCli(["diligence", "status", "9224851642388484"], { env })).code).toBe(7);
  });
});

describe("a dataset of another job", () => {
  const status = { jobId: JOB, state: "completed" };
  const rows = [{ entryNumber: "ZZ900000011", nextDeadline: "2026-12-20" }];

  it.each([
    ["before its rows", { jobId: OTHER_JOB, rows }],
    ["after its rows", { rows, jobId: OTHER_JOB }],
    ["under another name", { job_id: OTHER_JOB, rows }],
    ["in an envelope", { status: "success", data: { dataset: { rows }, jobId: OTHER_JOB } }],
    ["in NDJSON", `${JSON.stringify({ jobId: OTHER_JOB, entryNumber: "ZZ900000011" })}\n`],
  ])("is refused, and nothing of it is printed or kept: %s", async (_, dataset) => {
    const diligence = await startJobService({ status, dataset });
    const out = join(temporaryFolder(), "dataset.json");
    const format = typeof dataset === "string" ? "--ndjson" : "--json";
    for (const args of [
      ["dataset", JOB],
      ["dataset", JOB, format],
      ["dataset", JOB, format, "--out", out],
      ["dataset", JOB, "--out", out],
      ["dataset", JOB, "--fields", "entryNumber"],
      ["dataset", JOB, "--fields", "entryNumber", "--csv"],
      ["deadlines", JOB],
    ]) {
      const result = await diligence(...args);
      expect(result.code, args.join(" ")).toBe(7);
      // The heading of CSV is printed before a row arrives.
      expect(result.stdout.replace("entryNumber\r\n", "")).toBe("");
      expect(result.stderr).toContain(`the dataset is of job ${OTHER_JOB}, not of job ${JOB}`);
    }
    expect(existsSync(out)).toBe(false);
  });

  it("ends in an error if its id comes after more rows than arrive at once", async () => {
    const many = Array.from({ length: 20_000 }, () => rows[0]);
    const diligence = await startJobService({ status, dataset: { rows: many, jobId: OTHER_JOB } });
    const { code, stdout, stderr } = await diligence("dataset", JOB, "--json");
    expect([code, stderr]).toEqual([7, expect.stringContaining("wrong_job")]);
    expect(JSON.parse(stdout)).toHaveProperty("jobId", OTHER_JOB);
  });

  it("is named by the line of a mapping, whatever stands elsewhere", async () => {
    const { env } = await startScriptedService((_, response) =>
      sendJson(response, 200, { jobId: "x", answer: { ticket: OTHER_JOB.toUpperCase(), rows } }),
    );
    const lines = { "dataset.jobId": "answer.ticket", "dataset.rows": "answer.rows" };
    const CLAIMS_MAPPING = temporaryFile("mapping.json", JSON.stringify(lines));
    const read = (id: string) =>
      runCli(["diligence", "dataset", id, "-q"], { env: { ...env, CLAIMS_MAPPING } });
    expect((await read(JOB)).code).toBe(7);
    expect(await read(OTHER_JOB)).toMatchObject({ code: 0, stderr: "" });
  });

  it("is none if a row names another job, or if its id is a number beyond 2^53", async () => {
    const mixed = { jobId: JOB, rows: [{ ...rows[0], jobId: OTHER_JOB }] };
    const diligence = await startJobService({ status, dataset: mixed });
    for (const more of [[], ["--json"]]) expect((await diligence("dataset", JOB, ...more)).code).toBe(0);
    const { env } = await startScriptedService((_, response) =>
      response
        .writeHead(200, { "content-type": "application/json" })
        .end('{"jobId":9224851642388483,"rows":[{"entryNumber":"1"}]}'),
    );
    for (const more of [[], ["--json"]])
      expect((await runCli(["diligence", "dataset", "9224851642388483", ...more], { env })).code).toBe(0);
  });
});

describe("a dataset with more rows, or without any", () => {
  const rows = [{ line: 2, entryNumber: "ZZ900000011", entryDate: "2025-06-02" }];
  const status = { jobId: JOB, state: "completed" };

  const MORE = "the dataset has more rows than the service sent";

  it.each([
    ["hasMore", { rows, hasMore: true }, MORE],
    ["a cursor", { rows, nextCursor: "abc" }, MORE],
    ["a page of several", { rows, meta: { page: 1, pages: 4 } }, MORE],
    ["a total above the rows", { rows, total: 120 }, MORE],
    ["a count above the rows", { rows, meta: { rowCount: 120 } }, MORE],
    ["a page of several in an envelope", { data: { rows, pagination: { page: 1, totalPages: 4 } } }, MORE],
    ["no dataset but an error", { error: "dataset expired" }, "dataset expired"],
    ["a status of error", { status: "error", message: "out of order", rows: [] }, "out of order"],
    ["a link", { jobId: JOB, downloadUrl: "https://files.example.com/x.csv" }, "expected the entries"],
  ])("is an error: %s", async (_, dataset, text) => {
    const diligence = await startJobService({ status, dataset });
    for (const args of [
      ["dataset", JOB],
      ["dataset", JOB, "--json"],
      ["deadlines", JOB],
      ["pull", JOB, "-d", temporaryFolder()],
    ]) {
      const result = await diligence(...args);
      expect([result.code, result.stderr], args.join(" ")).toEqual([5, expect.stringContaining(text)]);
    }
  });

  it.each([
    ["errors of rows", { rows, errors: [{ row: 3 }] }],
    ["partial: true", { rows, partial: true }],
    ["a count of all rows", { rows, count: 1, total: 1 }],
    ["an object by id", { data: { ZZ900000011: rows[0], ZZ900000022: rows[0] } }],
    ["one row", rows[0]],
    ["no rows", { rows: [], total: 0 }],
  ])("is whole: %s", async (_, dataset) => {
    const diligence = await startJobService({ status, dataset });
    expect((await diligence("dataset", JOB, "--json")).code).toBe(0);
    expect((await diligence("pull", JOB, "-d", temporaryFolder())).code).toBe(0);
  });

  const HEADING = "line,entryNumber,party\r\n";

  it.each([
    ["json", '{"rows":[{"line":2},{"line":3,', "ends inside of its JSON"],
    ["json", '{"rows":[{"line":2}]}{"rows":[]}', "other bytes follow its end"],
    ["json", '{"rows":[{"line":2}]}\0\0', "other bytes follow its end"],
    ["ndjson", '{"line":2}\n{"line":3,"entr', "ends inside of a row"],
    ["ndjson", '{"line":2}\n{"error":{"code":"internal","message":"cursor lost"}}\n', "cursor lost"],
    ["csv", `${HEADING}2,ZZ900000011,"Harbor`, "ends inside of a row"],
    ["csv", `${HEADING}2,ZZ900000011,Harbor\r\n3,ZZ9`, "ends inside of a row"],
    ["csv", `${HEADING.replaceAll(",", ";")}2;ZZ900000011;"Har,bor`, "ends inside of a row"],
  ])(
    "is not taken for whole when it was cut, or something follows it: %s, %s",
    async (format, text, message) => {
      const diligence = await startTextService(format, text);
      const folder = temporaryFolder();
      for (const args of [
        ["dataset", JOB, `--${format}`, "--out", join(folder, "dataset")],
        ["pull", JOB, "-d", join(folder, "pulled")],
      ]) {
        const { code, stderr } = await diligence(...args);
        expect([5, 6], args.join(" ")).toContain(code);
        expect(stderr).toContain(message);
      }
      expect(readdirSync(folder)).toEqual([]);
    },
  );

  it.each([
    ["ndjson", '{"line":2}\n{"line":3}'],
    ["ndjson", '{"no":2,"error":"x"}\n{"no":3,"error":"y"}\n\n'],
    ["csv", HEADING.trim()],
    ["csv", `${HEADING}2,ZZ900000011,Harbor\r\n3,ZZ900000022,"Bay"`],
    ["csv", `${HEADING}2,5" pipe,Harbor\r\n3\r\n4`],
  ])("is whole without a last line end: %s, %s", async (format, text) => {
    const diligence = await startTextService(format, text);
    expect(await diligence("dataset", JOB, `--${format}`)).toMatchObject({ code: 0, stdout: text });
  });

  async function startTextService(format: string, text: string) {
    const type = { csv: "text/csv", ndjson: "application/x-ndjson" }[format] ?? "application/json";
    const { env } = await startScriptedService(({ url = "" }, response) =>
      url.includes("/dataset/")
        ? response.writeHead(200, { "content-type": type }).end(text)
        : sendJson(response, 200, url.includes("/status/") ? status : { rf8Review: {} }),
    );
    return (...args: string[]) => runCli(["diligence", ...args], { env });
  }
});

describe("the rows of a dataset", () => {
  const status = { jobId: JOB, state: "completed" };
  const known = ["1", "2"].map((number) => ({ entryNumber: number, warnings: ["x", "y", "z"] }));
  const unknown = ["1", "2"].map((number) => ({ no: number, flags: [] }));

  it.each([
    ["in data", { data: { jobId: JOB, rows: known } }],
    ["with a longer list beside them", { rows: known, errors: [{ a: 1 }, { a: 2 }, { a: 3 }] }],
    [
      "under another name, with a longer list beside them",
      { answer: { lines: known }, notes: ["a", "b", "c"] },
    ],
    ["three levels deep", { errors: [], answer: { table: { entries: unknown } } }],
    ["as an object by id", { data: { byNumber: { "1": known[0], "2": known[1] } } }],
    ["as an object by id with unknown names", { errors: [], data: { "1": unknown[0], "2": unknown[1] } }],
  ])("are found: %s", async (_, dataset) => {
    const diligence = await startJobService({ status, dataset });
    const { code, stdout, stderr } = await diligence("dataset", JOB);
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout.split("\n").map((line) => line.replaceAll("\t", "")[0])).toEqual(["1", "2", undefined]);
  });

  it("are one row if the document is that of a row, and no row if it is something else", async () => {
    const one = await startJobService({ status, dataset: known[0] });
    expect((await one("dataset", JOB, "--fields", "entryNumber")).stdout).toBe("1\n");
    const other = await startJobService({
      status,
      dataset: { data: { totals: { a: 1 }, window: { from: "x" } } },
    });
    expect(await other("dataset", JOB)).toMatchObject({ code: 5, stdout: "" });
  });

  it.each([
    ["application/x-ndjson", (row: string) => `${row}\n`],
    ["application/json", (row: string) => `{"rows":[${row}]}`],
  ])("are an error if one is nested too deeply: %s", async (type, document) => {
    const row = `{"entryNumber":${"[".repeat(20_000)}${"]".repeat(20_000)}}`;
    const { env } = await startScriptedService((_, response) => {
      response.writeHead(200, { "content-type": type }).end(document(row));
    });
    const result = await runCli(["diligence", "dataset", JOB], { env });
    expect([result.code, result.stdout]).toEqual([6, ""]);
    expect(result.stderr).toContain("the dataset is nested too deeply");
  });

  it("are printed in a pipe with lists, records and control characters in one cell each", async () => {
    const entries = [{ number: "A", tags: ["x", "y"], more: { a: 1 } }, { number: "B\tC" }];
    const diligence = await startJobService({ status, dataset: { entries } });
    expect((await diligence("dataset", JOB)).stdout).toBe('A\tx;y\t{"a":1}\nB·C\n');
  });

  it("in an envelope are not whole if it has a link to more", async () => {
    const dataset = { answer: { table: { entries: unknown }, hasMore: true } };
    const diligence = await startJobService({ status, dataset });
    for (const more of [[], ["--json"]]) expect((await diligence("dataset", JOB, ...more)).code).toBe(5);
  });

  it("are an error if the line of a mapping leads to no list", async () => {
    const { env } = await startScriptedService((_, response) => sendJson(response, 200, { rows: known }));
    const CLAIMS_MAPPING = temporaryFile("mapping.json", JSON.stringify({ "dataset.rows": "answer.lines" }));
    const result = await runCli(["diligence", "dataset", JOB, "--json", "--fields", "entryNumber"], {
      env: { ...env, CLAIMS_MAPPING },
    });
    expect(result.code).toBe(5);
    expect(errorOf(result).message).toContain("dataset.rows: expected a list at answer.lines");
  });

  it("are a warning at a terminal if no column shows them", async () => {
    const { env } = await startScriptedService((_, response) => sendJson(response, 200, { rows: unknown }));
    const terminal = createTerminalContext({ env });
    expect(await terminal.run("diligence", "dataset", JOB)).toBe(0);
    expect(terminal.stderr.text).toContain(
      "warning: entries have the fields no, flags, which no column shows",
    );
  });
});

describe("a dataset that is CSV alone", () => {
  const csv = "entryNumber;amount\r\nZZ900000011;1.234,56\r\n";

  async function startCsvService(type: string, mapping?: object) {
    const { env } = await startScriptedService((_, response) =>
      response.writeHead(200, { "content-type": type }).end(csv),
    );
    const lines = mapping && { CLAIMS_MAPPING: temporaryFile("mapping.json", JSON.stringify(mapping)) };
    return (...args: string[]) =>
      runCli(["diligence", "dataset", JOB, ...args], { env: { ...env, ...lines } });
  }

  it("is an error that names what came and what to do, unless it is asked for", async () => {
    const dataset = await startCsvService("text/csv; charset=utf-8");
    const out = join(temporaryFolder(), "dataset.json");
    for (const args of [[], ["--fields", "entryNumber"], ["-q"], ["--out", out], ["--json"], ["--ndjson"]]) {
      const result = await dataset(...args);
      expect([result.code, result.stdout], args.join(" ")).toEqual([5, ""]);
      expect(result.stderr).toContain("the service sent text/csv; charset=utf-8, not application/");
      expect(result.stderr).toContain("--csv` prints it as it came, and `--csv --out FILE` saves it");
      expect(result.stderr).toContain("dataset.csv");
    }
    expect(existsSync(out)).toBe(false);
    expect(await dataset("--csv")).toMatchObject({ code: 0, stdout: csv });
    expect((await dataset("--csv", "--out", out)).code).toBe(0);
    expect(readFileSync(out, "utf8")).toBe(csv);
  });

  it("is read by the line that the hint names", async () => {
    const mapping = { "dataset.csv": { delimiter: ";", decimal: "," } };
    const dataset = await startCsvService("text/csv", mapping);
    expect(await dataset("--fields", "entryNumber,amount")).toMatchObject({
      code: 0,
      stdout: "ZZ900000011\t1234.56\n",
    });
  });

  it.each(["text/plain", "application/json"])(
    "is no JSON, whatever its content type says: %s",
    async (type) => {
      const dataset = await startCsvService(type);
      for (const args of [[], ["--json"], ["--out", join(temporaryFolder(), "x")]]) {
        const { code, stdout, stderr } = await dataset(...args);
        expect([code === 5 || code === 6, stdout], args.join(" ")).toEqual([true, ""]);
        expect(stderr).toContain(type);
      }
    },
  );
});

describe("an rf8Review three levels deep", () => {
  const report = { data: { review: { rf8Review: { outcome: "declined" } } } };

  it("is printed once, and decides the exit code of --fail-on", async () => {
    const diligence = await startJobService({ status: { jobId: JOB, state: "completed" }, report });
    const { code, stdout } = await diligence("report", JOB);
    expect([code, stdout]).toEqual([0, 'rf8Review, as received:\n{\n  "outcome": "declined"\n}\n']);
    const failed = await diligence("wait", JOB, "--fail-on", "declined", "--json");
    expect([failed.code, errorOf(failed).code, JSON.parse(failed.stdout)]).toEqual([
      5,
      "outcome_declined",
      report,
    ]);
  });
});

describe("a response with 200 that says that it failed", () => {
  it.each([
    ["an empty list", { success: false, error: { code: "expired" }, data: [] }],
    ["a list with errors", { data: [], errors: [{ title: "expired" }] }],
    ["a status of error", { status: "error", message: "expired", clients: [] }],
    ["ok: false", { ok: false, error: "expired", data: [{ id: "1" }] }],
    ["a number of an error", { code: 50012, msg: "expired", data: [] }],
    ["a negative number, as text", { retCode: "-3", message: "expired", data: null }],
    ["an errno", { errno: 110, errmsg: "expired", data: [] }],
    ["an errcode without a text", { errcode: 40001, hint: "expired", data: [] }, "40001"],
    ["a number around an empty page", { code: 7, msg: "expired", data: { list: [], total: 0, page: 1 } }],
  ])("is an error: %s", async (_, body, text = "expired") => {
    const { env } = await startScriptedService((_request, response) => sendJson(response, 200, body));
    const result = await runCli(["clients", "list", "--all"], { env });
    expect([result.code, result.stdout]).toEqual([5, ""]);
    expect(result.stderr).toContain(`the service says that it failed`);
    expect(result.stderr).toContain(text);
  });

  it.each([
    ["code 0", { code: 0, msg: "fine", data: [] }],
    ["code 200", { code: 200, msg: "nothing was found", data: [] }],
    ["code 1 and a word of success", { code: 1, msg: "request succeeded", data: [] }],
    ["errcode 0", { errcode: 0, errmsg: "ok", data: [] }],
    ["errcode 0 and a sentence", { errcode: 0, errmsg: "Request successful.", data: [] }],
    ["a number beside rows", { code: 7, msg: "expires soon", data: [{ id: "c-1" }] }],
    ["a number without a text", { code: 7, data: [] }],
  ])("is none: %s", async (_, body) => {
    const { env } = await startScriptedService((_request, response) => sendJson(response, 200, body));
    expect(await runCli(["clients", "list", "--all"], { env })).toMatchObject({ code: 0, stderr: "" });
  });

  it("is no job by its number, unless it has a state, and no accepted write", async () => {
    const suspended = { code: 50012, msg: "tenant is suspended", data: null };
    const diligence = await startJobService({ status: suspended });
    expect(await diligence("status", JOB)).toMatchObject({
      code: 5,
      stderr: expect.stringContaining("tenant is suspended"),
    });
    const failed = await startJobService({ status: { state: "failed", code: 17, message: "row 3 is bad" } });
    expect((await failed("status", JOB)).code).toBe(0);
    const { env } = await startScriptedService((_request, response) => sendJson(response, 200, suspended));
    expect((await runCli(["clients", "create", "--name", "Acme"], { env })).code).toBe(10);
  });

  it.each([
    ["an error", { error: { code: "not_found", message: "expired" } }],
    ["errors", { errors: [{ title: "expired" }], data: null }],
    ["a fault", { fault: { faultstring: "expired" } }],
    [
      "an error with its time",
      { timestamp: "2026-11-20T00:00:00Z", status: 410, error: "expired", path: "/v1" },
    ],
  ])("is no record, and no report that comes later: %s", async (_, body) => {
    const { env } = await startScriptedService((_request, response) => sendJson(response, 200, body));
    const commands = [
      ["claims", "status", JOB],
      ["diligence", "status", JOB],
      ["diligence", "report", JOB],
      ["scans", "get", JOB],
      ["revenue", "dashboard"],
      ["orgs", "get", JOB],
    ];
    for (const args of commands) {
      const result = await runCli(args, { env });
      expect([args, result.code, result.stdout]).toEqual([args, 5, ""]);
      expect(result.stderr).toContain("expired");
    }
  });

  it.each([
    ["an id", { jobId: JOB, error: "row 3 is bad" }],
    ["a state", { state: "failed", error: "row 3 is bad" }],
    ["a status", { status: "processing", errors: ["row 3 is bad"] }],
    ["numbers", { rowsProcessed: 3, error: "row 3 is bad" }],
  ])("is a record with an error of its own: %s", async (_, status) => {
    const diligence = await startJobService({ status });
    expect((await diligence("status", JOB)).code).toBe(0);
  });

  it("is no report", async () => {
    const diligence = await startJobService({
      report: { success: false, message: "the report has expired" },
    });
    const result = await diligence("report", JOB);
    expect([result.code, result.stdout]).toEqual([5, ""]);
    expect(errorOf(await diligence("report", JOB, "--json")).code).toBe("stated_failure");
  });
});

it("numbers beyond 2^53 are printed digit for digit", async () => {
  const { env } = await startScriptedService((_, response) =>
    response
      .writeHead(200, { "content-type": "application/json" })
      .end('{"data":[{"id":9224851642388483,"name":"a \\"9224851642388485\\""},{"id":9224851642388485}]}'),
  );
  const result = await runCli(["clients", "list", "-q"], { env });
  expect(result.stdout).toBe("9224851642388483\n9224851642388485\n");
});
