import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import fc from "fast-check";
import { bareEnvironment } from "./cli.ts";
import {
  ACCEPT,
  ACCEPT_AND_LOSE,
  ACCEPT_WITHOUT_ID,
  CountingService,
  DROP,
  executeAndRespond,
  type Reaction,
  refuse,
  sendPage,
  sha256,
} from "./counting-service.ts";
import type { Crash, KillableRun, RunResult } from "./crashable-run.ts";
import { entriesCsv, ordinaryEntryNumber } from "./sandbox-requests.ts";

/** A random story of one machine that submits files to one service. */
export interface History {
  readonly keepsKeys: boolean;
  /** The contents of the files in the folder at the beginning. */
  readonly files: readonly number[];
  readonly steps: readonly Step[];
}

type Step =
  | { readonly kind: "runs"; readonly runs: readonly RunStep[]; readonly reactions: readonly Answer[] }
  /** The service is down when the run begins, and comes back in the meantime or not. */
  | { readonly kind: "outage"; readonly run: RunStep; readonly comesBack: boolean }
  | { readonly kind: "change"; readonly change: Change }
  /** A job fails, and the machine sees it. */
  | { readonly kind: "failure"; readonly job: number }
  /** More than a day passes, in which the service forgets its keys. */
  | { readonly kind: "day" };

interface RunStep {
  readonly command: "submit" | "batch" | "manifest";
  /** Of the files there, for submit. */
  readonly file: number;
  readonly folder: number;
  readonly onDuplicate: "fail" | "skip" | "warn" | "submit" | null;
  readonly resendsUnknown: boolean;
  readonly seller: number;
  readonly protestDocs: boolean;
  readonly concurrency: number;
  readonly hasOwnLog: boolean;
  readonly crash: Crash | null;
}

/** What the service does with a submission, and what happens meanwhile. */
interface Answer {
  readonly reaction: keyof typeof REACTIONS;
  /** Whether the runs are killed before the response. */
  readonly kills: boolean;
  readonly change: Change | null;
}

interface Change {
  readonly kind: keyof typeof CHANGES;
  readonly file: number;
  readonly content: number;
}

/** `isOpen`: the client cannot know the outcome; `always`: also not by a repeat under the key. */
interface ReactionKind {
  readonly reaction: (url: string) => Reaction;
  readonly isOpen: "always" | "without keys" | "never";
}

const open = (reaction: Reaction): ReactionKind => ({ reaction: () => reaction, isOpen: "without keys" });
const refused = (reaction: Reaction): ReactionKind => ({ reaction: () => reaction, isOpen: "never" });
const decision = (reaction: Reaction): ReactionKind => ({ reaction: () => reaction, isOpen: "always" });

const IN_USE = { code: "idempotency_key_in_use", title: "in use" };
const SUBMIT_PATH = "/v1/diligence/submit";

const REACTIONS = {
  accept: { reaction: () => ACCEPT, isOpen: "never" },
  lose: open(ACCEPT_AND_LOSE),
  drop: open(DROP),
  "502 not executed": open(refuse(502)),
  "503 after": open(executeAndRespond(503, { "retry-after": "0" })),
  "500 after": open(executeAndRespond(500)),
  "409 in use": open(executeAndRespond(409, { "retry-after": "0" }, IN_USE)),
  "409 not executed": open(refuse(409, {}, { title: "conflict" })),
  "406 after": open(executeAndRespond(406)),
  "408 after": open(executeAndRespond(408)),
  "303 after": open(executeAndRespond(303, { location: "/jobs/1" })),
  "307 to itself": {
    reaction: (url) => executeAndRespond(307, { location: `${url}${SUBMIT_PATH}` }),
    isOpen: "without keys",
  },
  "302 elsewhere": open(executeAndRespond(302, { location: "/jobs/1" })),
  "without an id": decision(ACCEPT_WITHOUT_ID),
  page: decision(sendPage(200, true)),
  "page of a login": decision(sendPage(200, false)),
  "refused with 422": refused(refuse(422)),
  "refused with 401": refused(refuse(401)),
  "429 short": refused(refuse(429, { "retry-after": "0" })),
  "429 long": refused(refuse(429, { "retry-after": "7200" })),
  "409 for other content": refused(refuse(409, {}, { code: "idempotency_key_reused", title: "reused" })),
  "308 to https": {
    reaction: (url) => refuse(308, { location: `${url.replace("http:", "https:")}${SUBMIT_PATH}` }),
    isOpen: "never",
  },
} satisfies Record<string | number, ReactionKind>;

const toText = (rows: readonly number[]): string => entriesCsv(rows.map(ordinaryEntryNumber));

/** Three contents of equal length: the entry numbers differ. */
const toContent = (content: number): string => toText([content + 1]);

const toOtherContent = (file: string, content: number): string =>
  toContent(readFileSync(file, "utf8") === toContent(content) ? (content + 1) % 3 : content);

/** What people and programs do with the files of the folder. Each is one step for a reader, so that a file is always whole. */
const CHANGES = {
  rename: (file, machine) => renameSync(file, join(machine.folder(0), machine.freeName())),
  move: (file, machine) => renameSync(file, join(machine.folder(1), machine.freeName())),
  copy: (file, machine) => copyFileSync(file, join(machine.folder(0), machine.freeName())),
  replace(file, _, content) {
    writeFileSync(`${file}.new`, toOtherContent(file, content));
    renameSync(`${file}.new`, file);
  },
  overwrite(file, _, content) {
    const text = toOtherContent(file, content);
    const { atime, mtime, size } = statSync(file);
    if (size !== text.length) return;
    writeFileSync(file, text, { flag: "r+" });
    utimesSync(file, atime, mtime);
  },
  append(file, _, content) {
    const { length } = readFileSync(file, "utf8").split("\n");
    appendFileSync(file, lastLineOf(toContent(10 * length + content)));
  },
  truncate(file) {
    const text = readFileSync(file, "utf8");
    const lines = text.trimEnd().split("\n");
    if (lines.length > 2) truncateSync(file, text.length - lastLineOf(text).length);
  },
  delete: (file) => rmSync(file),
  create: (_, machine, content) =>
    writeFileSync(join(machine.folder(0), machine.freeName()), toContent(content)),
} satisfies Record<string, (file: string, machine: Folders, content: number) => void>;

const lastLineOf = (text: string): string => `${text.trimEnd().split("\n").at(-1)}\n`;

interface Folders {
  folder(number: number): string;
  freeName(): string;
}

const natural = fc.nat({ max: 5 });
const rarely = fc.integer({ min: 0, max: 11 }).map((number) => number === 11);
const crash = fc.record({
  step: fc.integer({ min: 1, max: 140 }),
  moment: fc.constantFrom<Crash["moment"][]>("before", "torn", "after"),
});
const runStep: fc.Arbitrary<RunStep> = fc.record({
  command: fc.constantFrom<RunStep["command"][]>("batch", "submit", "manifest"),
  file: natural,
  folder: fc.constantFrom(0, 0, 0, 1),
  onDuplicate: fc.constantFrom<RunStep["onDuplicate"][]>(
    ...[
      null,
      null,
      null,
      "skip" as const,
      "skip" as const,
      "fail" as const,
      "warn" as const,
      "submit" as const,
    ],
  ),
  resendsUnknown: rarely,
  seller: fc.constantFrom(0, 0, 0, 0, 1),
  protestDocs: rarely,
  concurrency: fc.constantFrom(4, 1),
  hasOwnLog: rarely,
  crash: fc.option(crash, { freq: 2 }),
});
const change: fc.Arbitrary<Change> = fc.record({
  kind: fc.constantFrom<Change["kind"][]>(
    ...["rename" as const, "replace" as const, "overwrite" as const],
    ...(Object.keys(CHANGES) as Change["kind"][]),
  ),
  file: natural,
  content: fc.nat({ max: 2 }),
});
const answer: fc.Arbitrary<Answer> = fc.record({
  reaction: fc.constantFrom<Answer["reaction"][]>(
    ...["accept" as const, "429 short" as const, "lose" as const, "accept" as const, "429 short" as const],
    ...(Object.keys(REACTIONS) as Answer["reaction"][]),
  ),
  kills: fc.constantFrom(false, false, false, true),
  change: fc.option(change, { freq: 2 }),
});
interface WeightedStep {
  readonly weight: number;
  readonly arbitrary: fc.Arbitrary<Step>;
}

const steps: WeightedStep[] = [
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant("runs" as const),
      runs: fc.oneof(
        { weight: 4, arbitrary: fc.array(runStep, { minLength: 1, maxLength: 1 }) },
        { weight: 1, arbitrary: fc.array(runStep, { minLength: 2, maxLength: 2 }) },
      ),
      reactions: fc.array(answer, { maxLength: 3 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant("outage" as const), run: runStep, comesBack: fc.boolean() }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("change" as const), change }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("failure" as const), job: natural }) },
];
const day: WeightedStep = { weight: 1, arbitrary: fc.constant({ kind: "day" as const }) };

/** @param hasClock whether the runs have a clock that can be moved */
export const createHistories = ({ hasClock }: { readonly hasClock: boolean }): fc.Arbitrary<History> =>
  fc.record({
    keepsKeys: fc.boolean(),
    files: fc.array(fc.nat({ max: 2 }), { minLength: 1, maxLength: 3 }),
    steps: fc.array(fc.oneof(...(hasClock ? [...steps, day] : steps)), { minLength: 1, maxLength: 4 }),
  });

/** Starts the command line, in this process or in another one. */
export type StartRun = (
  args: readonly string[],
  options: {
    readonly env: Readonly<Record<string, string>>;
    readonly cwd: string;
    readonly crash: Crash | null;
    readonly laterMs: number;
  },
) => KillableRun;

const SELLERS = ["Harbor & Pine Trading, LLC", "Another Seller"] as const;
const DAY_MS = 25 * 3_600_000;
const MAX_RUN_MS = 60_000;

/** Plays a history, and lets a careful person end what is open. @throws Error with what went wrong */
export async function playHistory(history: History, startRun: StartRun): Promise<void> {
  const machine = await Machine.create(history, startRun);
  try {
    for (const each of history.steps) await machine.play(each);
    await machine.recover();
  } catch (error) {
    throw new Error(machine.describeFailure(error as Error), { cause: error });
  } finally {
    await machine.close();
  }
}

/** What identifies a submission. */
type ContentId = string;

interface CoveredFile {
  readonly name: string;
  readonly content: ContentId;
}

class Machine implements Folders {
  /** What happened, for the message of a failure. */
  readonly story: string[] = [];
  readonly #service: CountingService;
  readonly #startRun: StartRun;
  readonly #home: string;
  readonly #env: Record<string, string>;
  /** Hashes of what a file of this machine contained while nobody wrote it. */
  readonly #versions = new Set<string>();
  /** How many more jobs than one a content may have. */
  readonly #licences = new Map<ContentId, number>();
  /** Keys whose outcome no run can know. `isFinal`: not by a repeat under the key either. */
  readonly #open = new Map<string, { readonly content: ContentId; isFinal: boolean }>();
  #seenUploads = 0;
  #nameCount = 0;
  #laterMs = 0;

  private constructor(service: CountingService, home: string, startRun: StartRun) {
    this.#service = service;
    this.#home = home;
    this.#startRun = startRun;
    this.#env = {
      ...bareEnvironment(home),
      CLAIMS_BASE_URL: service.url,
      CLAIMS_API_KEY: "key-of-another-service",
    };
  }

  static async create({ keepsKeys, files }: History, startRun: StartRun): Promise<Machine> {
    const service = await CountingService.start({ keepsKeys });
    const machine = new Machine(service, mkdtempSync(join(tmpdir(), "claims-history-")), startRun);
    for (const folder of [0, 1]) mkdirSync(machine.folder(folder));
    for (const content of files)
      writeFileSync(join(machine.folder(0), machine.freeName()), toContent(content));
    machine.#noteVersions();
    machine.story.push(`a service ${keepsKeys ? "with" : "without"} keys; files ${files.join(", ")}`);
    return machine;
  }

  /** The message of a failure, and what happened before it. */
  describeFailure({ message }: Error): string {
    return [message, ...this.story].join("\n").replaceAll(`${this.#home}/`, "");
  }

  async close(): Promise<void> {
    await this.#service.close();
    rmSync(this.#home, { recursive: true, force: true });
  }

  folder(number: number): string {
    return join(this.#home, number === 0 ? "entries" : "elsewhere");
  }

  freeName(): string {
    return `${(this.#nameCount++).toString(36).padStart(2, "f")}.csv`;
  }

  async play(each: Step): Promise<void> {
    if (each.kind === "change") this.#change(each.change);
    else if (each.kind === "day") this.#passDay();
    else if (each.kind === "failure") await this.#failJob(each.job);
    else if (each.kind === "outage") await this.#playOutage(each.run, each.comesBack);
    else await this.#playRuns(each.runs, each.reactions);
  }

  /** @param target by default, the change chooses a file */
  #change({ kind, file, content }: Change, target?: string): void {
    const files = [0, 1].flatMap((number) => this.#listFiles(number));
    const chosen = target ?? files[file % files.length];
    if (chosen === undefined && kind !== "create") return;
    this.story.push(`${kind} ${chosen ?? ""} ${content}`);
    const apply: (file: string, machine: Folders, content: number) => void = CHANGES[kind];
    apply(chosen ?? "", this, content);
    this.#noteVersions();
  }

  #passDay(): void {
    this.story.push("a day passes");
    this.#laterMs += DAY_MS;
    this.#service.forgetKeys();
    for (const each of this.#open.values()) each.isFinal = true;
  }

  async #failJob(number: number): Promise<void> {
    const { jobs } = this.#service;
    const job = jobs[number % jobs.length];
    if (job === undefined || job.state === "failed") return;
    job.state = "failed";
    this.story.push(`job ${job.id} fails`);
    this.#addLicence(idOf(job));
    await this.#run(["diligence", "status", job.id], null);
  }

  async #playOutage(run: RunStep, comesBack: boolean): Promise<void> {
    await this.#service.close();
    this.story.push(`the service is down${comesBack ? " for a moment" : ""}`);
    const playing = this.#playRuns([run], [], comesBack ? ["--retry-for", "20s"] : []);
    if (comesBack) {
      await sleep(5);
      await this.#service.listen();
    }
    await playing;
    if (!comesBack) await this.#service.listen();
  }

  async #playRuns(runs: readonly RunStep[], answers: readonly Answer[], more: readonly string[] = []) {
    const planned = runs.flatMap((run) => {
      const files = this.#findFiles(run);
      return files.length === 0 ? [] : [{ run, files, args: [...this.#toArgs(run, files), ...more] }];
    });
    const covered = planned.map(({ run, files }) => ({
      run,
      files: files.map((path) => this.#describeFile(path, run)),
    }));
    const mayRepeat = covered.filter(({ run }) => repeatsOnPurpose(run));
    for (const { files } of mayRepeat) for (const { content } of files) this.#addLicence(content);
    const started: KillableRun[] = [];
    let hasChanged = false;
    this.#service.react(
      ...answers.map(({ reaction, kills, change }): Reaction => {
        const { reaction: toReaction }: ReactionKind = REACTIONS[reaction];
        const chosen = toReaction(this.#service.url);
        return {
          ...(kills ? { ...chosen, response: "hang" } : chosen),
          name: reaction,
          beforeResponse: () => {
            this.story.push(`  the service: ${reaction}${kills ? ", and the machine is killed" : ""}`);
            if (kills) for (const run of started) run.kill();
            // What a run that may repeat covers must be known.
            if (change === null || mayRepeat.length > 0) return;
            hasChanged = true;
            const sent = this.#service.uploads.at(-1)?.sha256;
            const isSent = (path: string) => sha256(readFileSync(path)) === sent;
            this.#change(change, [0, 1].flatMap((number) => this.#listFiles(number)).find(isSent));
          },
        };
      }),
    );
    const results = await Promise.all(
      planned.map(({ run, args }) => this.#run(args, run.crash, (killable) => started.push(killable))),
    );
    this.#service.reactions.length = 0;
    const wasKilled = results.some(({ code }) => code === null);
    this.#noteUploads(wasKilled);
    this.#checkJobs();
    if (hasChanged) return;
    for (const [index, result] of results.entries()) {
      const { run, files } = covered[index] ?? { run: undefined, files: [] };
      if (result.code === 0 && run)
        this.#checkDone(result, files, results.length === 1 && !repeatsOnPurpose(run));
    }
  }

  async #run(
    args: readonly string[],
    crash: Crash | null,
    onStart: (run: KillableRun) => void = () => {},
  ): Promise<RunResult> {
    const ending = crash === null ? "" : ` (crash ${crash.moment} step ${crash.step})`;
    const number = this.story.push(`claims ${args.join(" ")}${ending}`) - 1;
    const run = this.#startRun(args, { env: this.#env, cwd: this.#home, crash, laterMs: this.#laterMs });
    onStart(run);
    const result = await Promise.race([run.completion, sleep(MAX_RUN_MS, null, { ref: false })]);
    if (result === null) throw new Error("a run did not end");
    const { code, stderr } = result;
    this.story[number] += ` -> ${code ?? "killed"}${code === 0 ? "" : `\n    ${stderr.trim()}`}`;
    if (code === 1) throw new Error("a bug: exit 1");
    return result;
  }

  #listFiles(number: number): string[] {
    const folder = this.folder(number);
    return readdirSync(folder)
      .filter((name) => name.endsWith(".csv"))
      .sort()
      .map((name) => join(folder, name));
  }

  #findFiles({ command, file, folder }: RunStep): string[] {
    const files = this.#listFiles(folder);
    if (command !== "submit") return files;
    const chosen = files[file % files.length];
    return chosen === undefined ? [] : [chosen];
  }

  #toArgs(run: RunStep, files: readonly string[]): string[] {
    const { command, concurrency, folder, hasOwnLog, onDuplicate, protestDocs, resendsUnknown, seller } = run;
    const [first = ""] = files;
    const manifest = join(this.#home, `manifest-${folder}.csv`);
    if (command === "manifest") writeFileSync(manifest, ["file", ...files, ""].join("\n"));
    const source = { submit: first, batch: this.folder(folder), manifest }[command];
    const args = ["diligence", command === "submit" ? "submit" : "batch", source];
    args.push("--seller-name", SELLERS[seller] ?? SELLERS[0]);
    if (command === "submit") args.push("-q");
    else args.push("--json", "--concurrency", String(concurrency));
    if (command !== "submit" && hasOwnLog) args.push("--batch-log", join(this.#home, "own.jsonl"));
    if (onDuplicate !== null) args.push("--on-duplicate", onDuplicate);
    if (protestDocs) args.push("--protest-docs");
    if (resendsUnknown) args.push("--resend-unknown");
    return args;
  }

  #describeFile(path: string, { seller, protestDocs }: Pick<RunStep, "seller" | "protestDocs">): CoveredFile {
    const content = {
      sha256: sha256(readFileSync(path)),
      seller: SELLERS[seller] ?? SELLERS[0],
      protestDocs: String(protestDocs),
    };
    return { name: path, content: idOf(content) };
  }

  #noteVersions(): void {
    for (const path of [0, 1].flatMap((number) => this.#listFiles(number)))
      this.#versions.add(sha256(readFileSync(path)));
  }

  #addLicence(content: ContentId): void {
    this.#licences.set(content, (this.#licences.get(content) ?? 0) + 1);
  }

  /** @param wasKilled whether a run of the step was killed, so that a response may not have been logged */
  #noteUploads(wasKilled: boolean): void {
    const { keepsKeys, uploads } = this.#service;
    for (const upload of uploads.slice(this.#seenUploads)) {
      const { key = "", reaction } = upload;
      const { name = "accept", response } = reaction;
      const { isOpen }: ReactionKind = REACTIONS[name as keyof typeof REACTIONS];
      const isLost = response === "reset" || response === "hang";
      // What was killed may have read the response, or not.
      const isUnread = wasKilled && !isLost;
      if (response === "job") this.#open.delete(key);
      else if (isLost || isOpen === "without keys" || (isUnread && isOpen === "always"))
        this.#open.set(key, { content: idOf(upload), isFinal: !keepsKeys });
      else if (isOpen === "always") this.#open.set(key, { content: idOf(upload), isFinal: true });
    }
    this.#seenUploads = uploads.length;
  }

  #checkJobs(): void {
    const counts = new Map<ContentId, number>();
    for (const job of this.#service.jobs) {
      if (!this.#versions.has(job.sha256)) throw new Error(`job ${job.id} has bytes that nobody gave`);
      const content = idOf(job);
      const count = (counts.get(content) ?? 0) + 1;
      counts.set(content, count);
      if (count > 1 + (this.#licences.get(content) ?? 0)) throw new Error(`${count} jobs of one content`);
    }
  }

  /** A run with exit 0 has a job for each of its files, names it, and leaves no decision open. */
  #checkDone({ stdout }: RunResult, files: readonly CoveredFile[], isAlone: boolean): void {
    for (const { name, content } of files) {
      const jobs = this.#service.jobs.filter((job) => idOf(job) === content);
      if (!jobs.some(({ id }) => stdout.includes(id))) throw new Error(`exit 0 without a job of ${name}`);
      const isOpen = [...this.#open.values()].some((each) => each.isFinal && each.content === content);
      if (isAlone && isOpen) throw new Error(`exit 0 with an open decision about ${name}`);
    }
  }

  /** A person looks at the service and records what it has; then a batch must do the rest. */
  async recover(): Promise<void> {
    this.story.push("recovery");
    for (const folder of [0, 1]) {
      const files = this.#listFiles(folder);
      if (files.length === 0) continue;
      const source = this.folder(folder);
      const args = [
        "diligence",
        "batch",
        source,
        "--seller-name",
        SELLERS[0],
        "--on-duplicate",
        "skip",
        "--json",
      ];
      let result = await this.#run(args, null);
      if (result.code === 10) {
        await this.#resolveAll();
        result = await this.#run(args, null);
      }
      this.#noteUploads(false);
      this.#checkJobs();
      if (result.code !== 0) throw new Error(`exit ${result.code} after a person has decided`);
      const plain = { seller: 0, protestDocs: false };
      this.#checkDone(
        result,
        files.map((path) => this.#describeFile(path, plain)),
        true,
      );
    }
    if (existsSync(join(this.#home, "config"))) await this.#resolveAll();
  }

  async #resolveAll(): Promise<void> {
    const list = await this.#run(["history", "--unknown", "-q"], null);
    for (const key of new Set(list.stdout.split("\n").filter(Boolean))) {
      const job = this.#service.jobs.findLast((each) => each.key === key);
      const decided = job === undefined ? ["--refused"] : ["--job-id", job.id];
      const { code } = await this.#run(["history", "resolve", key, ...decided], null);
      if (code !== 0)
        throw new Error(`history resolve refuses the key ${key}, which history --unknown lists`);
      this.#open.delete(key);
    }
    const { code } = await this.#run(["history", "--unknown"], null);
    if (code !== 0) throw new Error("history --unknown lists a write after all were resolved");
  }
}

const repeatsOnPurpose = ({ onDuplicate, resendsUnknown }: RunStep): boolean =>
  resendsUnknown || onDuplicate === "warn" || onDuplicate === "submit";

const idOf = (content: {
  readonly sha256: string;
  readonly seller: string;
  readonly protestDocs: string;
}): ContentId => JSON.stringify([content.sha256, content.seller, content.protestDocs]);
