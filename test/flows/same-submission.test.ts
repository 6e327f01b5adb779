import { copyFileSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { errorOf } from "../support/cli.ts";
import { startMachineWithFolder as setUp, toEntryFile } from "../support/counted-machine.ts";
import { ACCEPT_AND_LOSE, type CountingService, refuse } from "../support/counting-service.ts";
import { batchArgs, parseItems } from "../support/entry-folder.ts";
import { describeEachFirst, itEachFirst } from "../support/large.ts";
import { SELLER, submitArgs } from "../support/sandbox.ts";
import { createTerminalContext } from "../support/terminal.ts";

type Setting = Awaited<ReturnType<typeof setUp>>;

const keysOf = ({ uploads }: CountingService) => new Set(uploads.map(({ key }) => key));

/** Commands that meet the same bytes in another way than the run before them. */
const OTHER_WAYS: Record<string, (setting: Setting) => string[]> = {
  "the same batch after the file was renamed": ({ folder, file }) => {
    renameSync(file, join(folder, "b.csv"));
    return batchArgs(folder);
  },
  "a batch of the folder to which the file was moved": ({ file, home }) => {
    const other = join(home, "other");
    mkdirSync(other);
    renameSync(file, join(other, "a.csv"));
    return batchArgs(other);
  },
  "a batch of a folder with a copy": ({ file, home }) => {
    const copies = join(home, "copies");
    mkdirSync(copies);
    copyFileSync(file, join(copies, "copy.csv"));
    return batchArgs(copies);
  },
  "a batch of a manifest": ({ file, home }) => {
    const manifest = join(home, "manifest.csv");
    writeFileSync(manifest, `file,seller\n${file},"${SELLER}"\n`);
    return ["diligence", "batch", manifest];
  },
  "a batch with another log": ({ folder, home }) =>
    batchArgs(folder, "--batch-log", join(home, "other.jsonl")),
  submit: ({ file }) => submitArgs(file),
  "submit with the seller of a file with CRLF": ({ file }) => [
    "diligence",
    "submit",
    file,
    "--seller-name",
    `${SELLER}\r`,
  ],
};

const FIRST_RUNS: Record<string, (setting: Setting) => string[]> = {
  batch: ({ folder }) => batchArgs(folder),
  submit: ({ file }) => submitArgs(file),
};

describe("a submission whose process was killed after the service accepted it", () => {
  describeEachFirst(Object.entries(FIRST_RUNS))("by %s", (_, toFirst) => {
    itEachFirst(Object.entries(OTHER_WAYS))("needs a decision without keys: %s", async (_, toNext) => {
      const setting = await setUp();
      const { claims, history, killAfterAcceptance, service } = setting;
      await killAfterAcceptance(toFirst(setting));
      const next = toNext(setting);
      for (const _ of [1, 2]) expect((await claims(next)).code).toBe(10);
      expect(service.begunUploads).toBe(1);
      const { rows } = await history("--unknown");
      expect(rows).toHaveLength(1);
      const [{ id = "" } = {}] = service.jobs;
      const resolved = await claims(["history", "resolve", rows[0]?.key ?? "", "--job-id", id]);
      expect(resolved.code).toBe(0);
      const last = await claims([...next, "--on-duplicate", "skip", "--json"]);
      expect([last.code, last.stdout]).toEqual([0, expect.stringContaining(id)]);
      expect(service.begunUploads).toBe(1);
    });

    itEachFirst(Object.entries(OTHER_WAYS))("is repeated under its key: %s", async (_, toNext) => {
      const setting = await setUp({ keepsKeys: true });
      const { claims, history, killAfterAcceptance, service } = setting;
      await killAfterAcceptance(toFirst(setting));
      expect((await claims(toNext(setting))).code).toBe(0);
      expect(service.jobs).toHaveLength(1);
      expect(keysOf(service).size).toBe(1);
      expect(await history("--unknown")).toEqual({ code: 0, rows: [] });
    });
  });
});

itEachFirst(Object.entries(OTHER_WAYS))(
  "a submission whose response was lost is not sent under a new key: %s",
  async (_, toNext) => {
    for (const keepsKeys of [true, false]) {
      const setting = await setUp({ keepsKeys });
      const { claims, file, service, submit } = setting;
      service.react(ACCEPT_AND_LOSE);
      expect((await submit(file)).code).toBe(keepsKeys ? 6 : 10);
      expect((await claims(toNext(setting))).code).toBe(keepsKeys ? 0 : 10);
      expect(service.jobs).toHaveLength(1);
      expect(keysOf(service).size).toBe(1);
      expect(service.begunUploads).toBe(keepsKeys ? 2 : 1);
    }
  },
);

describe("an accepted submission", () => {
  it.each(Object.entries(OTHER_WAYS))("is recognized: %s", async (_, toNext) => {
    const setting = await setUp();
    const { claims, file, service, submit } = setting;
    expect((await submit(file)).code).toBe(0);
    const next = toNext(setting);
    const result = await claims([...next, "--json", "--on-duplicate", "fail"]);
    expect([result.code, errorOf(result).code]).toEqual([5, "duplicate"]);
    const skipped = await claims([...next, "--on-duplicate", "skip", "--json"]);
    expect([skipped.code, skipped.stdout]).toEqual([0, expect.stringContaining(service.jobs[0]?.id ?? "-")]);
    expect(service.begunUploads).toBe(1);
  });

  it.each([[[]], [["--on-duplicate", "fail"]]])(
    "may be sent again when its job has failed, with a warning: %j",
    async (more) => {
      const { claims, file, service, submit } = await setUp();
      const first = await submit(file);
      expect(first.stderr).not.toContain("warning");
      const [job] = service.jobs;
      if (job) job.state = "failed";
      await claims(["diligence", "status", job?.id ?? ""]);
      const second = await submit(file, ...more);
      expect([second.code, service.jobs.length]).toEqual([0, 2]);
      expect(second.stderr).toContain(
        `warning: job ${job?.id} of ${file} failed; submitting it again as another job`,
      );
      // Its second job has not failed.
      expect((await submit(file)).code).toBe(5);
    },
  );

  it("keeps its key for itself: another file under it is not sent", async () => {
    const { claims, file, home, service, submit } = await setUp({ keepsKeys: true });
    const other = join(home, "other.csv");
    writeFileSync(other, toEntryFile(2));
    expect((await submit(file, "--idempotency-key", "2026-11-30")).code).toBe(0);
    for (const onDuplicate of ["fail", "submit"]) {
      const more = ["--idempotency-key", "2026-11-30", "--on-duplicate", onDuplicate, "--json"];
      const result = await claims([...submitArgs(other), ...more]);
      expect([result.code, result.stdout, errorOf(result).code]).toEqual([5, "", "key_of_other_content"]);
      expect(errorOf(result).message).toContain(service.jobs[0]?.id);
    }
    expect(service.begunUploads).toBe(1);
    expect((await submit(other, "--idempotency-key", "2026-12-01")).code).toBe(0);
  });

  it("has no seller with a line end inside of the name", async () => {
    const { claims, file, service } = await setUp();
    const result = await claims(["diligence", "submit", file, "--seller-name", "Acme\nInc"]);
    expect([result.code, service.begunUploads]).toEqual([2, 0]);
    expect(result.stderr).toContain("has a line end or another control character");
  });

  it("is recognized by a seller whose name looks the same", async () => {
    const { claims, file } = await setUp();
    const submitFor = (seller: string) => claims(["diligence", "submit", file, "--seller-name", seller]);
    expect((await submitFor("Caf\u00e9 North")).code).toBe(0);
    for (const seller of ["Cafe\u0301  North", "Caf\u00e9\u00a0North"])
      expect((await submitFor(seller)).code).toBe(5);
  });

  it("is another one for another seller, protest flag or environment", async () => {
    const { claims, file, service, submit } = await setUp();
    expect((await submit(file)).code).toBe(0);
    const other = ["diligence", "submit", file, "--seller-name", "Another Seller", "--on-duplicate", "fail"];
    expect((await claims(other)).code).toBe(0);
    expect((await submit(file, "--protest-docs", "--on-duplicate", "fail")).code).toBe(0);
    const production = ["--environment", "production", "--yes", "--on-duplicate", "fail"];
    expect((await submit(file, ...production)).code).toBe(0);
    expect(service.jobs).toHaveLength(4);
    expect((await claims(other)).code).toBe(5);
    expect((await submit(file, ...production)).code).toBe(5);
    expect(service.jobs).toHaveLength(4);
  });
});

describe("a batch that takes earlier jobs with --on-duplicate skip", () => {
  const skip = (folder: string) => batchArgs(folder, "--on-duplicate", "skip");
  /** Of a machine that shares the folder, and the batch log next to it. */
  const toOtherMachine = ({ env, home }: Setting) => ({
    env: { ...env, CLAIMS_CONFIG_DIR: join(home, "other-config") },
  });

  it("writes them into its log, so that another machine sends nothing", async () => {
    const setting = await setUp();
    const { batch, claims, file, folder, service, submit } = setting;
    expect((await submit(file)).code).toBe(0);
    writeFileSync(join(folder, "b.csv"), toEntryFile(2));
    expect((await batch(folder)).code).toBe(5);
    rmSync(`${folder}.batch.jsonl`);
    const lines: number[] = [];
    for (const _ of [1, 2]) {
      expect((await claims(skip(folder))).code).toBe(0);
      lines.push(readFileSync(`${folder}.batch.jsonl`, "utf8").split("\n").length);
    }
    expect(lines[1]).toBe(lines[0]);
    const elsewhere = await claims(batchArgs(folder), toOtherMachine(setting));
    expect([elsewhere.code, parseItems(elsewhere).map(({ jobId }) => jobId)]).toEqual([
      0,
      service.jobs.map(({ id }) => id),
    ]);
    expect(service.begunUploads).toBe(2);
  });

  it("writes down what a person decided", async () => {
    for (const decision of [["forget"], ["resolve", "--job-id"]]) {
      const setting = await setUp();
      const { claims, folder, history, service } = setting;
      service.react(ACCEPT_AND_LOSE);
      expect((await claims(skip(folder))).code).toBe(10);
      const [{ key = "" } = {}] = (await history("--unknown")).rows;
      const id = decision.length > 1 ? [service.jobs[0]?.id ?? ""] : [];
      expect((await claims(["history", ...decision, ...id, key])).code).toBe(0);
      expect((await claims(skip(folder))).code).toBe(0);
      expect((await claims(skip(folder), toOtherMachine(setting))).code).toBe(0);
      expect(service.begunUploads).toBe(1);
    }
  });

  it("writes nothing for a copy of a file that it has sent", async () => {
    const { batch, file, folder, service } = await setUp();
    copyFileSync(file, join(folder, "copy.csv"));
    for (const _ of [1, 2]) expect((await batch(folder, "--on-duplicate", "skip")).code).toBe(0);
    expect(readFileSync(`${folder}.batch.jsonl`, "utf8").match(/"intent"/g)).toHaveLength(1);
    expect(service.begunUploads).toBe(1);
  });
});

describe("a file that one run saw refused", () => {
  const REFUSALS = {
    "422": refuse(422),
    "a redirect to https": (url: string) => refuse(308, { location: url.replace("http:", "https:") }),
    "409 for other content": refuse(409, {}, { code: "idempotency_key_reused", title: "reused" }),
  };

  it.each(Object.entries(REFUSALS))(
    "and whose response the next batch loses is sent once: %s",
    async (_, refusal) => {
      for (const keepsKeys of [true, false]) {
        const { batch, folder, service } = await setUp({ keepsKeys });
        const isRedirect = typeof refusal === "function";
        service.react(isRedirect ? refusal(`${service.url}/v1/diligence/submit`) : refusal);
        expect((await batch(folder)).code).toBe(5);
        service.react(ACCEPT_AND_LOSE);
        // With keys, the end of the batch repeats it.
        expect((await batch(folder)).code).toBe(keepsKeys ? 0 : 10);
        expect(service.jobs).toHaveLength(1);
        expect(service.begunUploads).toBe(keepsKeys ? 3 : 2);
        expect(new Set(service.uploads.slice(1).map(({ key }) => key)).size).toBe(1);
      }
    },
  );
});

it("the history without keys has a row for each job of one content", async () => {
  const { file, history, service, submit } = await setUp();
  service.react(ACCEPT_AND_LOSE);
  expect((await submit(file)).code).toBe(10);
  expect((await submit(file, "--resend-unknown")).code).toBe(0);
  expect(service.jobs).toHaveLength(2);
  expect((await history()).rows).toHaveLength(2);
  expect((await submit(file, "--on-duplicate", "submit")).code).toBe(0);
  expect((await history()).rows).toHaveLength(3);
});

it("submit of what was accepted before asks on a terminal", async () => {
  const { env, file, home, service, submit } = await setUp();
  expect((await submit(file)).code).toBe(0);
  const ask = async (typed: string, ...more: string[]) => {
    const terminal = createTerminalContext({ env, cwd: home, typed });
    return terminal.run(...submitArgs(file, ...more));
  };
  expect(await ask("n\n")).not.toBe(0);
  expect(await ask("", "--no-input")).toBe(5);
  expect(service.begunUploads).toBe(1);
  expect(await ask("yes\n")).toBe(0);
  expect(service.jobs).toHaveLength(2);
});

it("two equal files of one batch are one submission", async () => {
  for (const keepsKeys of [true, false]) {
    const { batch, folder, service } = await setUp({ keepsKeys });
    writeFileSync(join(folder, "b.csv"), toEntryFile(1));
    service.react(ACCEPT_AND_LOSE);
    const first = await batch(folder, "--on-duplicate", "skip");
    expect(first.code).toBe(keepsKeys ? 0 : 10);
    expect(service.jobs).toHaveLength(1);
    const again = await batch(folder, "--on-duplicate", "skip");
    expect(again.code).toBe(keepsKeys ? 0 : 10);
    expect(service.jobs).toHaveLength(1);
  }
});
