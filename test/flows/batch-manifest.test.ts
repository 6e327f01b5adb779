import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { errorOf, fixture, runCli } from "../support/cli.ts";
import {
  acceptSubmission,
  type BatchItem,
  batchArgs,
  createFiles,
  parseItems,
  parseSortedItems,
  runFolder,
} from "../support/entry-folder.ts";
import { environmentOf, sandboxForTest } from "../support/sandbox.ts";
import { countJobs } from "../support/sandbox-requests.ts";
import { startScriptedService } from "../support/scripted-service.ts";

const runManifest = (env: Record<string, string>, source: string, ...more: string[]) =>
  runCli(["diligence", "batch", source, ...more], { env });

describe("diligence batch manifest", () => {
  it("reads the manifest from stdin when SOURCE is -", async () => {
    const sandbox = await sandboxForTest();
    const { folder, home } = createFiles(2);
    const env = environmentOf(sandbox);
    const input = "file,seller\nfile-00.csv,Acme\nfile-01.csv,Acme\n";
    const withoutLog = await runCli(batchArgs("-"), { env, cwd: folder, input });
    expect(withoutLog.stderr).toContain("--batch-log");
    expect(withoutLog.code).toBe(2);
    const args = batchArgs("-", "--batch-log", join(home, "sent.jsonl"));
    expect((await runCli(args, { env, cwd: folder, input })).stderr).toContain("2 submissions: 2 accepted");
    expect((await runCli(args, { env, cwd: folder, input })).stderr).toContain("2 already");
    expect(await countJobs(sandbox)).toBe(2);
  });

  function manifest(text: string | Uint8Array) {
    const { home, folder } = createFiles(3);
    writeFileSync(join(folder, "empty.csv"), "");
    const path = join(home, "batch.csv");
    writeFileSync(path, text);
    return { path, home };
  }

  it("reads file, seller and protest_docs of each row", async () => {
    const sandbox = await sandboxForTest();
    const env = environmentOf(sandbox);
    const { path, home } = manifest(
      'seller,file,protest_docs\r\n"Harbor & Pine, LLC",entries/file-00.csv,true\r\n,"entries/file-01.csv",\r\n',
    );
    const result = await runManifest(env, path, "--seller-name", "Acme");
    expect(result.code, result.stderr).toBe(0);
    const [first, second] = parseSortedItems(result);
    const job = async (item: BatchItem | undefined) =>
      JSON.parse((await runCli(["diligence", "status", item?.jobId ?? "", "--json"], { env })).stdout);
    expect(await job(first)).toMatchObject({
      sellerName: "Harbor & Pine, LLC",
      requiresProtestDocumentation: true,
    });
    expect(await job(second)).toMatchObject({ sellerName: "Acme", requiresProtestDocumentation: false });
    expect(readdirSync(home)).toContain("batch.batch.jsonl");
    const history = await runCli(["history", "--submissions", "-q"], { env });
    expect(history.stdout.split("\n").sort()).toEqual(["", first?.jobId, second?.jobId].sort());
  });

  it("has columns by the names of the interface, and none by a name that is close to one", async () => {
    const { env } = await startScriptedService(acceptSubmission);
    const preview = (heading: string) =>
      runManifest(env, manifest(`${heading}\nentries/file-00.csv,Acme,yes\n`).path, "--dry-run", "--json");
    const read = await preview("file,seller_name,requires_protest_documentation");
    expect([read.code, read.stdout]).toEqual([0, expect.stringContaining('"true"')]);
    const refused = await preview("file,seller,protest");
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('\\"protest_docs\\"')]);
  });

  it("lists each invalid row, and sends the others", async () => {
    const { path } = manifest(
      [
        "file,seller,protest_docs",
        "entries/file-00.csv,Acme,true",
        "entries/none.csv,Acme,true",
        "entries/empty.csv,Acme,",
        "entries/file-01.csv,,perhaps",
        "entries/file-00.csv,Acme,TRUE",
        "entries/file-02.csv,Acme",
        "entries/file-01.csv,#N/A,",
        "entries/file-02.csv,=A2,",
        "entries\\file-02.csv,Acme,",
        "",
      ].join("\n"),
    );
    const { env, requests } = await startScriptedService(acceptSubmission);
    const result = await runManifest(env, path);
    expect(result.code).toBe(5);
    const items = parseItems(result).map(({ state, error }) => [state, error?.code, error?.message]);
    expect(items).toEqual([
      ["accepted", undefined, undefined],
      ["invalid", "cannot_read", expect.stringContaining("cannot read entries")],
      ["invalid", "file_empty", expect.stringContaining("entries/empty.csv is empty")],
      ["invalid", "cell_empty", expect.stringMatching(/--seller-name.*"perhaps" is neither yes nor no/)],
      ["duplicate", "duplicate", expect.stringContaining("was already accepted as job")],
      ["invalid", "cell_count", "2 cells, the header has 3"],
      ["invalid", "cell_no_value", expect.stringContaining('"#N/A" is what a program writes')],
      ["invalid", "cell_formula", expect.stringContaining('"=A2" is a formula')],
      ["invalid", "cannot_read", expect.stringContaining("paths have / and not \\")],
    ]);
    expect(requests.filter(({ method }) => method === "POST")).toHaveLength(1);
    const refused = await runManifest(env, path, "--all-or-nothing", "--batch-log", `${path}.other`);
    expect([refused.code, requests.filter(({ method }) => method === "POST").length]).toEqual([5, 1]);
  });

  it("names the line that looks like the header", async () => {
    const { path } = manifest("# list of 2026-11-18\nfile,seller\na.csv,Acme\n");
    const { env } = await startScriptedService(acceptSubmission);
    const [error] = errorOf(await runManifest(env, path, "--json")).errors ?? [];
    expect(error).toMatchObject({ line: 1, column: "file", code: "column_missing" });
    expect(error?.message).toContain("line 2 looks like the header");
  });

  it.each([
    ['"Acme\nentries/file-01.csv,Bay"', "cell_lines", "one row on lines 2 to 3"],
    ["Acme\u200b", "cell_hidden", "U+200B"],
    ["=Acme", "cell_formula", '"=Acme" is a formula'],
    ["Acme,yes", "cell_unnamed", '"yes" stands under a blank heading'],
  ])("does not send a row with %j", async (cells, code, words) => {
    const heading = cells.includes(",yes") ? "file,seller," : "file,seller";
    const { path } = manifest(`${heading}\nentries/file-00.csv,${cells}\n`);
    const { env, requests } = await startScriptedService(acceptSubmission);
    const [item] = parseItems(await runManifest(env, path));
    expect(item).toMatchObject({
      state: "invalid",
      error: { code, message: expect.stringContaining(words) },
    });
    expect(requests).toHaveLength(0);
  });

  it("reads a seller in the text form of spreadsheets", async () => {
    const env = environmentOf(await sandboxForTest());
    const { path } = manifest('file,seller\nentries/file-00.csv,"=""Acme"""\n');
    const [item] = parseItems(await runManifest(env, path));
    const job = await runCli(["diligence", "status", item?.jobId ?? "", "--json"], { env });
    expect(JSON.parse(job.stdout)).toMatchObject({ sellerName: "Acme" });
  });

  it("recognizes a file by its normalized path", async () => {
    const { path, home } = manifest("file,seller\nentries/file-00.csv,Acme\n");
    const { env, requests } = await startScriptedService(acceptSubmission);
    await runManifest(env, path);
    for (const file of ["./entries/file-00.csv", join(home, "entries", "file-00.csv")]) {
      writeFileSync(path, `file,seller\n${file},Acme\n`);
      expect((await runManifest(env, path)).stderr).toContain("1 already");
    }
    expect(requests).toHaveLength(1);
  });

  it("is not overwritten if it is also given as the batch log", async () => {
    const text = "file,seller\nentries/file-00.csv,Acme\n";
    const { path } = manifest(text);
    const { env, requests } = await startScriptedService(acceptSubmission);
    const result = await runManifest(env, path, "--batch-log", path, "--json");
    expect(errorOf(result)).toMatchObject({ code: "invalid_input", exitCode: 2 });
    expect(readFileSync(path, "utf8")).toBe(text);
    expect(requests).toHaveLength(0);
  });

  it.each([
    ["path,seller\na,b\n", [[1, "file", "column_missing"]]],
    ["file\nentries/file-00.csv\n", [[1, "seller", "column_missing"]]],
    ["file,seller,seller_name\na,b,c\n", [[1, "seller_name", "column_repeated"]]],
    [
      "file,Seler,Protest Doc\na,b,y\n",
      [
        [1, "seller", "column_missing"],
        [1, "Seler", "column_unknown"],
        [1, "Protest Doc", "column_unknown"],
      ],
    ],
    ["file,seller\n", [[null, null, "no_rows"]]],
    ['file,seller\n"a,b\n', [[2, null, "csv_malformed"]]],
  ])("reports the error of %j", async (text, errors) => {
    const { path } = manifest(text);
    const { env } = await startScriptedService(acceptSubmission);
    const error = errorOf(await runManifest(env, path, "--json"));
    expect(error).toMatchObject({ code: "invalid_input", exitCode: 2 });
    expect(error.errors?.map(({ line, column, code }) => [line, column, code])).toEqual(errors);
  });

  it.each([
    ['separated by ";"', "delimiter_unsupported", "file;seller\na;b\n"],
    ["separated by tabs", "delimiter_unsupported", "file\tseller\na\tb\n"],
    ["is UTF-16", "file_encoding", Buffer.from("\uFEFFfile,seller\na,b\n", "utf16le")],
    ["not UTF-8", "file_encoding", Buffer.from("file,seller\na,Espa\u00F1a\n", "latin1")],
  ])("is refused with the reason: %s", async (words, code, content) => {
    const { path } = manifest(content);
    const { env } = await startScriptedService(acceptSubmission);
    const error = errorOf(await runManifest(env, path, "--json"));
    expect(error).toMatchObject({ code: "invalid_input", exitCode: 2 });
    expect(error.errors).toEqual([expect.objectContaining({ column: null, code })]);
    expect(error.errors?.[0]?.message).toContain(words);
    expect(error.hint).toBe("nothing was sent; correct the manifest");
  });

  it("has its other columns in every output", async () => {
    const env = environmentOf(await sandboxForTest());
    const { path } = manifest("client_ref,file,desk,state,seller\nA-1,entries/file-00.csv,x,old,Acme\n");
    const result = await runManifest(env, path, "--wait");
    expect(parseItems(result)).toMatchObject([{ client_ref: "A-1", desk: "x", state: "partial" }]);
    const columns = /^file,state,outcome,jobId,seller,client_ref,desk,key,/;
    const csv = (await runManifest(env, path, "--wait", "--csv")).stdout;
    expect(csv).toMatch(columns);
    expect(csv).toContain(",Acme,A-1,x,");
    const fields = await runManifest(env, path, "--wait", "--fields", "client_ref,error.code");
    expect(fields.stdout).toBe('{"client_ref":"A-1","error.code":"job_partial"}\n');
    expect((await runManifest(env, path, "--wait", "-q")).stdout).toMatch(/^[0-9a-f-]{36}\n$/);
  });

  it("has headings and indicators as a spreadsheet writes them", async () => {
    const sandbox = await sandboxForTest();
    const env = environmentOf(sandbox);
    const text = readFileSync(fixture("manifests/spreadsheet.csv"), "utf8");
    const { path, home } = manifest(text);
    for (const [index, name] of ["a", "b", "c"].entries())
      copyFileSync(join(home, "entries", `file-0${index}.csv`), join(home, "entries", `${name}.csv`));
    const result = await runManifest(env, path);
    expect(result.code, result.stderr).toBe(0);
    const items = parseSortedItems(result);
    expect(items.map(({ file, state }) => [file, state])).toEqual([
      ["entries/a.csv", "accepted"],
      ["entries/b.csv", "accepted"],
      ["entries/c.csv", "accepted"],
    ]);
    for (const { jobId } of items) {
      const { stdout } = await runCli(["diligence", "status", jobId ?? "", "--json"], { env });
      expect(JSON.parse(stdout).requiresProtestDocumentation).toBe(true);
    }
  });

  it("can be a folder, of which what is passed over is named unless nothing happens", async () => {
    const { folder } = createFiles(1);
    mkdirSync(join(folder, "old"));
    for (const name of ["june.xlsx", "notes.txt", "~$june.csv", ".DS_Store", ".may.csv"])
      writeFileSync(join(folder, name), "x");
    const { env, requests } = await startScriptedService(acceptSubmission);
    const note = `passed over in ${folder}, because only visible .csv files are sent: .may.csv, june.xlsx, notes.txt, old, ~$june.csv\n`;
    expect((await runFolder(env, folder)).stderr).toContain(note);
    expect(requests).toHaveLength(1);
    expect((await runFolder(env, folder)).stderr).not.toContain("passed over");
    expect((await runFolder(env, folder, "-v")).stderr).toContain(note);
  });

  it("warns about entries that are in two of its files", async () => {
    const { folder } = createFiles(0);
    const rows = readFileSync(fixture("sample_entries.csv"), "utf8").split("\n");
    const part = (from: number, to: number) => [rows[0], ...rows.slice(from, to), ""].join("\n");
    writeFileSync(join(folder, "june.csv"), part(1, 40));
    writeFileSync(join(folder, "july.csv"), part(30, 60));
    writeFileSync(join(folder, "august.csv"), part(60, 80));
    const { env, requests } = await startScriptedService(acceptSubmission);
    const { code, stderr } = await runFolder(env, folder, "--concurrency", "1");
    expect(stderr.match(/^warning: .* also in .*$/gm)).toEqual([
      "warning: 10 entries of june.csv are also in july.csv, so that the claim would count them twice",
    ]);
    expect([code, requests.length]).toEqual([0, 3]);
  });

  it("sends the others if a file has a fault that stops a submission, which --check off sends", async () => {
    const { folder } = createFiles(1);
    copyFileSync(fixture("exports/case_124_entry_layout_line_rows.csv"), join(folder, "lines.csv"));
    const { env, requests } = await startScriptedService(acceptSubmission);
    const result = await runFolder(env, folder);
    const items = parseSortedItems(result);
    expect([result.code, requests.length]).toEqual([5, 1]);
    expect(items.map(({ state, error }) => [state, error?.code])).toEqual([
      ["accepted", undefined],
      ["invalid", "check_failed"],
    ]);
    expect(result.stderr).toMatch(/^warning: lines\.csv: 1 row differs .* on line 3.*\(ENTRY_HAS_LINES\)$/m);
    const refused = await runFolder(env, folder, "--check", "off", "--json");
    expect(errorOf(refused)).toMatchObject({ code: "missing_option", exitCode: 2 });
    expect(errorOf(refused).message).toContain("it needs --yes");
    expect(requests).toHaveLength(1);
    const unchecked = await runFolder(env, folder, "--check", "off", "--yes");
    expect([unchecked.code, requests.length]).toEqual([0, 2]);
  });

  it("sends one file with a fault if its cell in the column check says off", async () => {
    const { folder, home } = createFiles(1);
    for (const name of ["lines.csv", "again.csv"])
      copyFileSync(fixture("exports/case_124_entry_layout_line_rows.csv"), join(folder, name));
    const manifest = join(folder, "manifest.txt");
    const rows = ["file,seller,Check", "lines.csv,Acme,OFF", "again.csv,Beta,", "file-00.csv,Acme,strict"];
    writeFileSync(manifest, `${rows.join("\n")}\n`);
    const { env, requests } = await startScriptedService(acceptSubmission);
    const items = parseItems(await runManifest(env, manifest, "--check", "warn"));
    expect(items.map(({ file, state }) => [file, state])).toEqual([
      ["lines.csv", "accepted"],
      ["again.csv", "invalid"],
      ["file-00.csv", "accepted"],
    ]);
    expect(Object.keys(items[0] ?? {})).not.toContain("Check");
    expect(requests).toHaveLength(2);

    const wrong = join(home, "wrong.csv");
    writeFileSync(wrong, `file,seller,check\n${join(folder, "file-00.csv")},Acme,none\n`);
    const [item] = parseItems(await runManifest(env, wrong));
    expect(item?.error?.message).toContain('column check: "none" is none of off, warn, strict');
  });

  it("can be a folder with what is not an entry file, which has neither lines nor columns", async () => {
    const { folder } = createFiles(1);
    mkdirSync(join(folder, "sub.csv"));
    writeFileSync(join(folder, "empty.csv"), "");
    const { env } = await startScriptedService(acceptSubmission);
    const items = parseSortedItems(await runFolder(env, folder));
    expect(items.map(({ state }) => state)).toEqual(["invalid", "accepted", "invalid"]);
    expect(items[2]?.error).toMatchObject({
      message: "sub.csv is not a file",
      hint: "correct or move the file and run the batch again",
    });
  });

  it("says that a file has a name that is not UTF-8", async () => {
    const { folder } = createFiles(1);
    const latin1 = Buffer.concat([Buffer.from(`${folder}/caf`), Buffer.from([0xe9]), Buffer.from(".csv")]);
    writeFileSync(latin1, readFileSync(fixture("sample_entries.csv")));
    const { env } = await startScriptedService(acceptSubmission);
    const items = parseSortedItems(await runFolder(env, folder));
    expect(items.map(({ state }) => state)).toEqual(["invalid", "accepted"]);
    expect(items[0]?.error?.message).toContain("its name is not UTF-8");
  });

  it("requires a seller for a folder", async () => {
    const { folder, home } = createFiles(1);
    const { env } = await startScriptedService(acceptSubmission);
    expect(errorOf(await runManifest(env, folder, "--json"))).toMatchObject({
      code: "missing_option",
      exitCode: 2,
    });
    expect(errorOf(await runFolder(env, join(home, "missing"), "--json")).code).toBe("cannot_read");
    expect(errorOf(await runFolder(env, folder, "--concurrency", "0", "--json")).code).toBe("option_invalid");
  });
});
