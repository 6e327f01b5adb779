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
import { findCommands } from "./counted-machine.ts";
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
import type { Incident, KillableRun, RunResult } from "./crashable-run.ts";
import { batchArgs } from "./entry-folder.ts";
import { SELLER } from "./sandbox.ts";
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
  | { readonly kind: "day" }
  /** A person decides about all open outcomes. */
  | { readonly kind: "decision"; readonly forgets: boolean }
  /** A line of the write log becomes unreadable, or such a line comes in. */
  | { readonly kind: "damage"; readonly line: number | null };

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
  readonly hasContentKey: boolean;
  readonly waits: boolean;
  readonly incident: (Incident & { readonly change: Change }) | null;
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
  elsewhere: decision({
    executes: true,
    response: (jobId) => ({ status: 202, body: { jobId, state: "queued", environment: "production" } }),
  }),
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
const change: fc.Arbitrary<Change> = fc.record({
  kind: fc.constantFrom<Change["kind"][]>(
    ...["rename" as const, "replace" as const, "overwrite" as const],
    ...(Object.keys(CHANGES) as Change["kind"][]),
  ),
  file: natural,
  content: fc.nat({ max: 2 }),
});
const runStep: fc.Arbitrary<RunStep> = fc.record({
  command: fc.constantFrom<RunStep["command"][]>("batch", "submit", "manifest"),
  file: natural,
  folder: fc.constantFrom(0, 0, 0, 1),
  onDuplicate: fc.constantFrom<RunStep["onDuplicate"][]>(
    ...[null, null, null],
    ...["skip" as const, "skip" as const, "fail" as const, "warn" as const, "submit" as const],
  ),
  resendsUnknown: rarely,
  seller: fc.constantFrom(0, 0, 0, 0, 1),
  protestDocs: rarely,
  concurrency: fc.constantFrom(4, 1),
  hasOwnLog: rarely,
  hasContentKey: rarely,
  waits: rarely,
  incident: fc.option(
    fc.record({
      step: fc.integer({ min: 1, max: 140 }),
      kind: fc.constantFrom<Incident["kind"][]>("before", "torn", "after", "stop", "full", "change"),
      change,
    }),
    { freq: 2 },
  ),
});
const answer: fc.Arbitrary<Answer> = fc.record({
  reaction: fc.constantFrom<Answer["reaction"][]>(
    ...["accept" as const, "429 short" as const, "lose" as const, "accept" as const, "429 short" as const],
    ...(Object.keys(REACTIONS) as Answer["reaction"][]),
  ),
  kills: fc.constantFrom(false, false, false, true),
  change: fc.option(change, { freq: 2 }),
});
const runs = fc.record({
  kind: fc.constant("runs" as const),
  runs: fc.oneof(
    { weight: 4, arbitrary: fc.array(runStep, { minLength: 1, maxLength: 1 }) },
    { weight: 1, arbitrary: fc.array(runStep, { minLength: 2, maxLength: 2 }) },
  ),
  reactions: fc.array(answer, { maxLength: 3 }),
});

const step = <Kind extends Step["kind"], Fields>(
  weight: number,
  kind: Kind,
  fields: { [Name in keyof Fields]: fc.Arbitrary<Fields[Name]> },
) => ({ weight, arbitrary: fc.record({ kind: fc.constant(kind), ...fields }) as fc.Arbitrary<Step> });

const steps = [
  { weight: 6, arbitrary: runs as fc.Arbitrary<Step> },
  step(1, "outage", { run: runStep, comesBack: fc.boolean() }),
  step(3, "change", { change }),
  step(1, "failure", { job: natural }),
  step(1, "decision", { forgets: fc.boolean() }),
  step(1, "damage", { line: fc.option<number, null>(natural, { nil: null, freq: 2 }) }),
];

/** @param hasClock whether the runs have a clock that can be moved */
export function createHistories({ hasClock }: { readonly hasClock: boolean }): fc.Arbitrary<History> {
  const later = fc.oneof(...(hasClock ? [...steps, step(1, "day", {})] : steps));
  return fc.record({
    keepsKeys: fc.boolean(),
    files: fc.array(fc.nat({ max: 2 }), { minLength: 1, maxLength: 3 }),
    // Nothing is interesting before the first run.
    steps: fc
      .tuple(runs, fc.array(later, { minLength: 1, maxLength: 3 }))
      .map(([first, others]) => [first, ...others]),
  });
}

/** Starts the command line, in this process or in another one. */
export type StartRun = (
  args: readonly string[],
  options: {
    readonly env: Readonly<Record<string, string>>;
    readonly cwd: string;
    readonly incident: Incident | null;
    readonly onChange: () => void;
    readonly laterMs: number;
  },
) => KillableRun;

const SELLERS = [SELLER, "Another Seller"] as const;
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

interface RunEvents {
  readonly incident?: Incident | null;
  onStart?(run: KillableRun): void;
  onChange?(): void;
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
  /** By its hash, the rows of what a file of this machine contained while nobody wrote it. */
  readonly #versions = new Map<string, ReadonlySet<string>>();
  /** How many more jobs than one a content may have. */
  readonly #licences = new Map<ContentId, number>();
  /** Keys whose outcome no run can know. `isFinal`: not by a repeat under the key either. */
  readonly #open = new Map<string, { readonly content: ContentId; isFinal: boolean }>();
  /** Contents with a write whose outcome a person gave up on. */
  readonly #forgotten = new Set<ContentId>();
  /** Whether the write log has a line that cannot be read, and that no person has looked at. */
  #isDamaged = false;
  /** Whether every write of this machine is in the log. */
  #isLogComplete = true;
  #isUp = true;
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
    else if (each.kind === "damage") this.#damage(each.line);
    else if (each.kind === "decision") await this.#decide(each.forgets);
    else if (each.kind === "failure") await this.#failJob(each.job);
    else if (each.kind === "outage") await this.#playOutage(each.run, each.comesBack);
    else await this.#playRuns(each.runs, each.reactions);
  }

  /** @param target by default, the change chooses a file */
  #change({ kind, file, content }: Change, target?: string): void {
    const files = this.#listAllFiles();
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

  /** @param chosen null adds a line */
  #damage(chosen: number | null): void {
    const log = this.#logPath;
    if (!existsSync(log)) return;
    const lines = readFileSync(log, "utf8").split("\n");
    const whole = lines.slice(0, -1);
    const number = chosen === null ? whole.length : chosen % Math.max(1, whole.length);
    const line = lines[number] ?? "";
    // The next writer cancels a line that was cut off.
    const canRead = line.startsWith("{") && line.endsWith("}");
    if (chosen === null) lines.splice(number, 0, "a line of another program");
    else if (canRead) lines[number] = line.replace("{", "#");
    else return;
    writeFileSync(log, lines.join("\n"));
    this.story.push(`line ${number + 1} cannot be read: ${line}`);
    this.#isDamaged = true;
    if (chosen !== null) this.#isLogComplete = false;
  }

  get #logPath(): string {
    return join(this.#home, "config", "state", "writes.jsonl");
  }

  async #decide(forgets: boolean): Promise<void> {
    if (!existsSync(this.#logPath)) return;
    if (!forgets) return this.#resolveAll();
    for (const key of await this.#listKeys("--unknown")) {
      const { code } = await this.#run(["history", "forget", key]);
      if (code !== 0) throw new Error(`history forget refuses the key ${key}, which history --unknown lists`);
      this.#open.delete(key);
      // It counts as sent.
      for (const upload of this.#service.uploads.filter((each) => each.key === key))
        this.#forgotten.add(idOf(upload));
    }
  }

  async #failJob(number: number): Promise<void> {
    const { jobs } = this.#service;
    const job = jobs[number % jobs.length];
    if (job === undefined || job.state === "failed") return;
    job.state = "failed";
    this.story.push(`job ${job.id} fails`);
    this.#addLicence(idOf(job));
    await this.#run(["diligence", "status", job.id]);
  }

  async #playOutage(run: RunStep, comesBack: boolean): Promise<void> {
    this.#isUp = false;
    await this.#service.close();
    this.story.push(`the service is down${comesBack ? " for a moment" : ""}`);
    const playing = this.#playRuns([run], [], comesBack ? ["--retry-for", "20s"] : []);
    if (comesBack) {
      await sleep(5);
      await this.#service.listen();
    }
    await playing;
    if (!comesBack) await this.#service.listen();
    this.#isUp = true;
  }

  async #playRuns(runs: readonly RunStep[], answers: readonly Answer[], more: readonly string[] = []) {
    const planned = runs.flatMap((given) => {
      // Nothing to send is not interesting.
      const run = { ...given, folder: this.#listFiles(given.folder).length === 0 ? 0 : given.folder };
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
    const changeMeanwhile = (change: Change, target?: string) => {
      // What a run that may repeat covers must be known.
      if (mayRepeat.length > 0) return;
      hasChanged = true;
      this.#change(change, target);
    };
    const { begunUploads } = this.#service;
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
            if (change === null) return;
            const sent = this.#service.uploads.at(-1)?.sha256;
            const isSent = (path: string) => sha256(readFileSync(path)) === sent;
            changeMeanwhile(change, this.#listAllFiles().find(isSent));
          },
        };
      }),
    );
    const results = await Promise.all(
      planned.map(({ run: { incident }, args }) =>
        this.#run(args, {
          incident,
          onStart: (run) => started.push(run),
          onChange: () => incident && changeMeanwhile(incident.change),
        }),
      ),
    );
    this.#service.reactions.length = 0;
    const isUnlogged = ({ run: { incident } }: { run: RunStep }, index: number) =>
      results[index]?.code === null || incident?.kind === "stop" || incident?.kind === "full";
    this.#noteUploads(planned.some(isUnlogged));
    this.#checkJobs();
    if (this.#isDamaged && mayRepeat.length === 0) {
      if (this.#service.begunUploads > begunUploads) throw new Error("sent, although a line cannot be read");
      if (results.some(({ code }) => code === 0)) throw new Error("exit 0, although a line cannot be read");
    }
    if (hasChanged) return;
    const [only, ...others] = planned;
    const isCalm = others.length === 0 && answers.length === 0 && this.#isUp && only?.run.incident === null;
    if (isCalm && mayRepeat.length === 0) this.#checkOpen(results[0], covered[0]?.files ?? []);
    for (const [index, result] of results.entries()) {
      const { run, files } = covered[index] ?? { run: undefined, files: [] };
      if (result.code === 0 && run)
        this.#checkDone(result, files, results.length === 1 && !repeatsOnPurpose(run));
    }
  }

  /** A run that meets an open decision, and is not disturbed, exits 10. */
  #checkOpen(result: RunResult | undefined, files: readonly CoveredFile[]): void {
    const isOpen = ({ content }: CoveredFile) =>
      [...this.#open.values()].some((each) => each.isFinal && each.content === content);
    const mustExit10 = this.#isDamaged || (this.#isLogComplete && files.some(isOpen));
    if (mustExit10 && result && result.code !== 10)
      throw new Error(`exit ${result.code} with an open decision`);
  }

  async #run(
    args: readonly string[],
    { incident = null, onStart = () => {}, onChange = () => {} }: RunEvents = {},
  ): Promise<RunResult> {
    const ending = incident === null ? "" : ` (${incident.kind} at ${incident.step})`;
    const number = this.story.push(`claims ${args.join(" ")}${ending}`) - 1;
    const run = this.#startRun(args, {
      ...{ env: this.#env, cwd: this.#home, laterMs: this.#laterMs },
      ...{ incident, onChange },
    });
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

  #listAllFiles(): string[] {
    return [0, 1].flatMap((number) => this.#listFiles(number));
  }

  #findFiles({ command, file, folder }: RunStep): string[] {
    const files = this.#listFiles(folder);
    if (command !== "submit") return files;
    const chosen = files[file % files.length];
    return chosen === undefined ? [] : [chosen];
  }

  #toArgs(run: RunStep, files: readonly string[]): string[] {
    const { command, concurrency, folder, hasContentKey, hasOwnLog } = run;
    const { onDuplicate, protestDocs, resendsUnknown, seller, waits } = run;
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
    if (hasContentKey) args.push("--content-key");
    if (waits) args.push("--wait");
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
    for (const path of this.#listAllFiles()) {
      const bytes = readFileSync(path);
      this.#versions.set(sha256(bytes), new Set(bytes.toString().trim().split("\n")));
    }
  }

  #addLicence(content: ContentId): void {
    this.#licences.set(content, (this.#licences.get(content) ?? 0) + 1);
  }

  /** @param isUnlogged whether a response may not be in the log, because a run was killed, stopped or without room on the disk */
  #noteUploads(isUnlogged: boolean): void {
    const { keepsKeys, uploads } = this.#service;
    for (const upload of uploads.slice(this.#seenUploads)) {
      const { key = "", reaction } = upload;
      const { name = "accept", response } = reaction;
      const { isOpen }: ReactionKind = REACTIONS[name as keyof typeof REACTIONS];
      const isLost = response === "reset" || response === "hang";
      const isUnread = isUnlogged && !isLost;
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
      if (this.#isLogComplete && count > 1 + (this.#licences.get(content) ?? 0))
        throw new Error(`${count} jobs of one content`);
    }
  }

  /** A run with exit 0 has a job for each of its files, names it, and leaves no decision open. */
  #checkDone({ stdout }: RunResult, files: readonly CoveredFile[], isAlone: boolean): void {
    for (const { name, content } of files) {
      const jobs = this.#service.jobs.filter((job) => this.#hasRowsOf(job, content));
      if (!this.#forgotten.has(content) && !jobs.some(({ id }) => stdout.includes(id)))
        throw new Error(`exit 0 without a job of ${name}`);
      const isOpen = [...this.#open.values()].some((each) => each.isFinal && each.content === content);
      if (isAlone && isOpen && this.#isLogComplete)
        throw new Error(`exit 0 with an open decision about ${name}`);
    }
  }

  /** A file has the job of a larger one for the same seller, which has its entries. */
  #hasRowsOf(job: Parameters<typeof idOf>[0], content: ContentId): boolean {
    const [sha256 = "", ...rest] = JSON.parse(content) as string[];
    const rows = this.#versions.get(job.sha256);
    const isSameForm = idOf({ ...job, sha256 }) === JSON.stringify([sha256, ...rest]);
    return isSameForm && [...(this.#versions.get(sha256) ?? [])].every((row) => rows?.has(row));
  }

  /** A person looks at the service and records what it has; then a batch must do the rest. */
  async recover(): Promise<void> {
    this.story.push("recovery");
    // What was forgotten can be looked up after all.
    if (existsSync(this.#logPath)) await this.#resolve(await this.#listKeys("--state", "forgotten"));
    this.#forgotten.clear();
    for (const folder of [0, 1]) {
      const files = this.#listFiles(folder);
      if (files.length === 0) continue;
      const source = this.folder(folder);
      const args = batchArgs(source, "--on-duplicate", "skip", "--json");
      let result = await this.#run(args);
      for (let decisions = 0; result.code === 10 && decisions < MAX_DECISIONS; decisions += 1) {
        await this.#forgetLines(result);
        await this.#resolveAll();
        result = await this.#run(args);
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
    if (existsSync(this.#logPath)) await this.#resolveAll();
  }

  async #listKeys(...options: readonly string[]): Promise<ReadonlySet<string>> {
    const list = await this.#run(["history", "--all", "-q", ...options]);
    return new Set(list.stdout.split("\n").filter(Boolean));
  }

  async #resolve(keys: ReadonlySet<string>): Promise<void> {
    for (const key of keys) {
      const job = this.#service.jobs.findLast((each) => each.key === key);
      // A person who was wrong corrects it.
      const decisions = job === undefined ? [["--refused"]] : [["--refused"], ["--job-id", job.id]];
      for (const decision of decisions) {
        const { code } = await this.#run(["history", "resolve", key, ...decision]);
        if (code !== 0) throw new Error(`history resolve refuses the key ${key}, which history lists`);
      }
      this.#open.delete(key);
    }
  }

  async #resolveAll(): Promise<void> {
    await this.#resolve(await this.#listKeys("--unknown"));
    let list = await this.#run(["history", "--unknown"]);
    for (let decisions = 0; list.code === 10 && decisions < MAX_DECISIONS; decisions += 1) {
      await this.#forgetLines(list);
      list = await this.#run(["history", "--unknown"]);
    }
    if (list.code !== 0) throw new Error("history --unknown lists a write after all were resolved");
  }

  /** A person looks at the lines that a message names. */
  async #forgetLines(result: RunResult): Promise<void> {
    for (const command of findCommands(result, "history forget --line")) {
      const { code } = await this.#run(command);
      if (code !== 0) throw new Error(`refused: ${command.join(" ")}`);
    }
    this.#isDamaged = false;
  }
}

/** More than the open outcomes and unreadable lines of a history. */
const MAX_DECISIONS = 9;

const repeatsOnPurpose = ({ onDuplicate, resendsUnknown }: RunStep): boolean =>
  resendsUnknown || onDuplicate === "warn" || onDuplicate === "submit";

const idOf = (content: {
  readonly sha256: string;
  readonly seller: string;
  readonly protestDocs: string;
}): ContentId => JSON.stringify([content.sha256, content.seller, content.protestDocs]);
