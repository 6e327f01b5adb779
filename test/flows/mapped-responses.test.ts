import { describe, expect, it } from "vitest";
import { errorOf, fixture, runCli, temporaryFile } from "../support/cli.ts";
import { type Script, sendJson, startScriptedService } from "../support/scripted-service.ts";
import { createTerminalContext } from "../support/terminal.ts";

async function startMapped(mapping: object, script: Script) {
  const service = await startScriptedService(script);
  const file = temporaryFile("mapping.json", JSON.stringify(mapping));
  const env: Record<string, string> = { ...service.env, CLAIMS_MAPPING: file };
  return { ...service, env, run: (...args: string[]) => runCli(args, { env }) };
}

const MAPPING = {
  clients: "answer.importers",
  "clients.id": "no",
  "clients.name": "title",
  paging: { next: "answer.more", parameter: "start" },
};

const pageOf = (numbers: readonly number[], more: unknown = null) => ({
  answer: {
    importers: numbers.map((no) => ({ no, title: `Pier ${no}`, state: "open", tier: "gold" })),
    more,
  },
});

/** Pages by the parameter `start`. */
const pages =
  (pages: Readonly<Record<string, unknown>>): Script =>
  ({ url = "" }, response) =>
    sendJson(response, 200, pages[new URL(url, "http://x").searchParams.get("start") ?? ""]);

describe("a mapped list", () => {
  it("is read to its end, with ids that are numbers, and without a limit in the request", async () => {
    const script = pages({ "": pageOf([1, 2], "b"), b: pageOf([3]) });
    const { run, requests } = await startMapped(MAPPING, script);
    expect(await run("clients", "list", "--all", "-q")).toMatchObject({
      code: 0,
      stdout: "1\n2\n3\n",
      stderr: "",
    });
    const cut = await run("clients", "list", "--limit", "1", "-q");
    expect([cut.stdout, cut.stderr]).toEqual(["1\n", expect.stringContaining("there are more clients")]);
    expect(requests.filter(({ url }) => url.includes("limit"))).toEqual([]);
  });

  it("shows the service's own fields after the mapped ones, and takes both names in --fields", async () => {
    const { env, run } = await startMapped(MAPPING, pages({ "": pageOf([1]) }));
    const csv = await run("clients", "list", "--csv");
    const [head = "", row = ""] = csv.stdout.trim().split("\r\n");
    expect(head).toMatch(/^id,name,.*,state,tier$/);
    expect(row).toMatch(/^1,Pier 1,.*,open,gold$/);
    expect((await run("clients", "list", "--fields", "name,title,tier")).stdout).toBe(
      "Pier 1\tPier 1\tgold\n",
    );
    expect(JSON.parse((await run("clients", "list", "--json")).stdout)).toEqual(pageOf([1]));
    expect((await run("clients", "list", "--ndjson")).stdout).toBe(
      `${JSON.stringify(pageOf([1]).answer.importers[0])}\n`,
    );
    const terminal = createTerminalContext({ env });
    await terminal.run("clients", "list", "--no-color");
    expect(terminal.stdout.text).toMatch(/^id +name +state +tier\n1 +Pier 1 +open +gold\n/);
  });

  it("has an object by id whose keys are not the ids, or are the ids", async () => {
    const body = { byKey: { "key-1": { no: "A", title: "One" }, "key-2": { no: "B", title: "Two" } } };
    const script: Script = (_, response) => sendJson(response, 200, body);
    const own = await startMapped({ clients: "byKey{}", "clients.id": "no" }, script);
    expect((await own.run("clients", "list", "-q")).stdout).toBe("A\nB\n");
    expect(JSON.parse((await own.run("clients", "list", "--all", "--json")).stdout)).toEqual(body);
    const keys = await startMapped({ clients: "byKey{}" }, script);
    expect((await keys.run("clients", "list", "-q")).stdout).toBe("key-1\nkey-2\n");
  });

  it("follows a link in the body", async () => {
    const mapping = { ...MAPPING, paging: { next: "answer.more" } };
    const script = pages({ "": pageOf([1], "/v1/clients?start=b"), b: pageOf([2]) });
    const { run } = await startMapped(mapping, script);
    expect(await run("clients", "list", "--all", "-q")).toMatchObject({ code: 0, stdout: "1\n2\n" });
  });

  it("sends nothing to another host that it names as its next page", async () => {
    const other = await startScriptedService((_, response) => sendJson(response, 200, pageOf([9])));
    const mapping = { ...MAPPING, paging: { next: "answer.more" } };
    const { run } = await startMapped(mapping, pages({ "": pageOf([1], `${other.url}/v1/clients`) }));
    const result = await run("clients", "list", "--all", "-q", "--json");
    expect([result.code, other.requests]).toEqual([2, []]);
    const ids = await run("clients", "list", "--all", "-q");
    expect([ids.code, ids.stdout, other.requests]).toEqual([5, "1\n", []]);
    expect(ids.stderr).toContain("the next page is not on");
  });

  it("prints a row that comes twice once, with a warning", async () => {
    const script = pages({ "": pageOf([1, 2], "b"), b: pageOf([2, 3]) });
    const { run } = await startMapped(MAPPING, script);
    const { code, stdout, stderr } = await run("clients", "list", "--all", "-q");
    expect([code, stdout]).toEqual([0, "1\n2\n3\n"]);
    expect(stderr).toBe("warning: the service sent 1 clients twice, which are shown once\n");
  });

  it.each([
    [
      "ends in an error at a page without a new row",
      pages({ "": pageOf([1], "b"), b: pageOf([1], "c") }),
      "no new row",
    ],
    [
      "ends in an error if it has more pages than rows",
      ((_, response, count) => sendJson(response, 200, pageOf([], `p${count}`))) as Script,
      "more pages",
    ],
  ])("%s", async (_, script, message) => {
    const { run } = await startMapped(MAPPING, script);
    const result = await run("clients", "list", "--all", "-q");
    expect([result.code, result.stderr]).toEqual([5, expect.stringContaining(message)]);
  });

  it.each([
    [{ answer: { other: [] } }, "expected a list of records at answer.importers"],
    [{ answer: { importers: { a: {} } } }, "expected a list of records at answer.importers"],
  ])("is an error if its line leads nowhere: %j", async (body, message) => {
    const { run } = await startMapped(MAPPING, (_, response) => sendJson(response, 200, body));
    const result = await run("clients", "list", "--json");
    expect([result.code, errorOf(result)]).toEqual([
      5,
      expect.objectContaining({
        message: expect.stringContaining(message),
        hint: expect.stringContaining("claims mapping check"),
      }),
    ]);
  });

  it("is an error with --all if the response shows more in a way that the mapping does not say", async () => {
    const { run } = await startMapped({ ...MAPPING, paging: "none" }, pages({ "": pageOf([1], "b") }));
    const result = await run("clients", "list", "--all", "-q");
    expect([result.code, result.stdout]).toEqual([5, "1\n"]);
    expect(result.stderr).toContain('the response has a next page in "more"');
  });
});

it("takes a total above the rows for one of other rows only if a line of its own says how the list ends", async () => {
  const script = pages({ "": { answer: { importers: [{ no: 1 }], total: 9 } } });
  const { paging, ...lines } = MAPPING;
  for (const [mapping, code] of [
    [{ ...lines, "clients.paging": paging }, 0],
    [MAPPING, 5],
    [lines, 5],
  ] as const) {
    const { run } = await startMapped(mapping, script);
    const result = await run("clients", "list", "--all", "-q");
    expect([result.code, result.stdout, result.stderr]).toEqual([
      code,
      "1\n",
      expect.stringContaining('the response has "total": 9'),
    ]);
  }
});

describe("a mapped job", () => {
  const JOB = "J-1";
  const mapping = {
    "submitted.id": "ticket.no",
    "job.id": "job.no",
    "job.state": "job.step",
    "job.words": { ok: "completed" },
  };
  const jobScript =
    (step: unknown): Script =>
    ({ method, url = "" }, response) => {
      if (method === "POST") return sendJson(response, 202, { ticket: { no: 71 }, id: "another" });
      if (url.includes("/report/")) return sendJson(response, 200, { rf8Review: { outcome: "clear" } });
      sendJson(response, 200, { job: { no: JOB, ...(step !== undefined && { step }) }, state: "failed" });
    };

  it("has its id and its state at their lines, whatever stands elsewhere", async () => {
    const { run } = await startMapped(mapping, jobScript("ok"));
    const args = ["diligence", "submit", fixture("sample_entries.csv"), "--seller-name", "Acme"];
    expect((await run(...args, "-q")).stdout).toBe("71\n");
    expect((await run("diligence", "wait", JOB)).code).toBe(0);
    expect((await run("diligence", "status", JOB, "--fields", "jobId,state")).stdout).toBe(
      `${JOB}\tcompleted\n`,
    );
  });

  it("is not completed by a word that is not known, although it has a report", async () => {
    const { run } = await startMapped(mapping, jobScript("done-ish"));
    const result = await run("diligence", "wait", JOB, "--json");
    expect([result.code, errorOf(result)]).toEqual([
      9,
      expect.objectContaining({
        message: 'the job has ended; its state "done-ish" is not known',
        hint: expect.stringContaining(`--set 'job.words={"done-ish":"completed"}'`),
      }),
    ]);
    expect(JSON.parse(result.stdout)).toHaveProperty("rf8Review");
  });

  it.each(["cancelled", "Completed with errors", "partial_success", "not completed"])(
    "is not proposed as completed if it ended as %s",
    async (word) => {
      const { run } = await startMapped(mapping, jobScript(word));
      const { hint } = errorOf(await run("diligence", "wait", JOB, "--json"));
      expect(hint).toContain(`--set 'job.words={"${word}":"failed"}'`);
      expect(hint).not.toContain('"completed"}');
    },
  );

  it("is an error if the line of its state leads nowhere", async () => {
    const { run } = await startMapped(mapping, jobScript(undefined));
    const result = await run("diligence", "status", JOB, "--json");
    expect([result.code, errorOf(result).message]).toEqual([
      5,
      expect.stringContaining("job.state: expected the state of the job at job.step of the response"),
    ]);
  });

  it("needs a decision if the line of the submitted id leads nowhere", async () => {
    const { run } = await startMapped({ ...mapping, "submitted.id": "ticket.id" }, jobScript("ok"));
    const args = ["diligence", "submit", fixture("sample_entries.csv"), "--seller-name", "Acme"];
    const result = await run(...args);
    expect([result.code, result.stderr]).toEqual([10, expect.stringContaining("no job id at ticket.id")]);
  });
});

describe("a mapped error", () => {
  const mapping = {
    "error.code": "fault.key",
    "error.message": "fault.text",
    "error.words": { "400 gone": "not_found", locked: "unauthorized", "418": "rate_limited" },
  };

  it.each([
    [400, "gone", 3],
    [400, "other", 5],
    [409, "locked", 4],
    [418, "tea", 6],
  ])("with status %i and code %s exits %i", async (status, key, code) => {
    const { run } = await startMapped(mapping, (_, response) =>
      sendJson(response, status, { fault: { key, text: "Nein." }, code: "unrelated" }),
    );
    const result = await run("clients", "list", "--json");
    expect([result.code, errorOf(result)]).toEqual([
      code,
      expect.objectContaining({ code: key, message: expect.stringContaining("Nein"), status }),
    ]);
  });
});
