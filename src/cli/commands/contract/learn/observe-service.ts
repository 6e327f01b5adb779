import type { DryRunRequest } from "../../../../client/dry-run.ts";
import { findJobId } from "../../../../client/job-id.ts";
import type { OperationInput } from "../../../../client/request.ts";
import type { Operation } from "../../../../contract/operations/operation.ts";
import { hasOtherItems, listPageRequests } from "../../../../contract/service-form/learn/asked-pages.ts";
import { UNKNOWN_ID } from "../../../../contract/service-form/learn/learn-errors.ts";
import { POLLS_OF_AN_END } from "../../../../contract/service-form/learn/learn-states.ts";
import type { createLearner } from "../../../../contract/service-form/learn/learner.ts";
import { categorizeState, JOB_STATES } from "../../../../domain/diligence/states.ts";
import { ClaimsError, credentialError, interruptedError } from "../../../../domain/errors.ts";
import { isRecord, parseJsonText } from "../../../../domain/json.ts";
import { openService, type Service } from "../../../connection/service.ts";
import type { Context } from "../../../context.ts";
import { printMessage } from "../../../output/stderr.ts";
import { Attempts } from "./attempts.ts";
import type { LearnInvocation } from "./learn.ts";
import {
  openSubmission,
  resumeJob,
  type Submission,
  sendTestEvent,
  submit,
  waitForJob,
} from "./write-service.ts";

export interface RunResult {
  readonly interruption: ClaimsError | undefined;
  /** The refusal of a write; the rest of the run went on. */
  readonly refusal: ClaimsError | undefined;
  readonly requests: readonly DryRunRequest[];
}

export async function observeService(
  context: Context,
  call: LearnInvocation,
  learner: ReturnType<typeof createLearner>,
): Promise<RunResult> {
  const { submit: paths = [], sellerName = "" } = call.options;
  const submissions: Submission[] = [];
  for (const path of paths) submissions.push(await openSubmission(context, call, path, sellerName));
  // Without a job to wait for, --timeout limits each request.
  const requestTimeout = paths.length === 0 ? call.global.timeout : undefined;
  for (const { file, sellerName: seller } of submissions) {
    learner.addKnown("sellerName", seller);
    learner.addKnown("fileName", file.name);
    learner.addKnown("fileBytes", file.size);
  }
  const service = await openService(
    context,
    { ...call, requestTimeout },
    {
      onResponse: ({ method, path: target }, { status, headers, body }) =>
        learner.add({
          method,
          path: target,
          status,
          headers: Object.entries(headers),
          body: body?.toString("utf8") ?? "",
          at: context.now(),
        }),
    },
  );
  requireConfirmation(call, service);
  const attempts = new Attempts();
  const run = { context, call, service, attempts, reader: new ServiceReader(service, attempts) };
  let interruption: ClaimsError | undefined;
  try {
    await observe(run, submissions);
  } catch (error) {
    if (!(error instanceof ClaimsError) && !context.signal.aborted) throw error;
    interruption = error instanceof ClaimsError ? error : interruptedError(error);
  }
  return { interruption, refusal: attempts.refusal, requests: attempts.requests };
}

interface Run {
  readonly context: Context;
  readonly call: LearnInvocation;
  readonly service: Service;
  readonly attempts: Attempts;
  readonly reader: ServiceReader;
}

async function observe(run: Run, submissions: readonly Submission[]): Promise<void> {
  const { context, service, attempts, reader } = run;
  const { options } = run.call;
  await reader.readContract();
  const submitted: string[] = [];
  for (const submission of submissions) {
    const id = await submit(context, service, attempts, submission, options);
    if (id !== null) submitted.push(id);
  }
  if (options.testEvent) await sendTestEvent(context, service, attempts);
  await reader.readLists();
  const found = await reader.readClaims();
  for (const jobId of submitted) await followSubmission(run, jobId);
  if (submitted.length > 0) return;
  const jobId = options.job ?? found;
  if (jobId === null) return printMessage(context, service.isDryRun ? NEXT_READS : NO_JOB);
  await reader.readStatus(jobId);
  await reader.readResults(jobId);
}

const NEXT_READS =
  "then other pages of the lists, the status of the first claim, and the three reads of a job";
const NO_JOB = "no job is known: give --job to learn from one";

async function followSubmission({ context, call, service, attempts, reader }: Run, jobId: string) {
  const { global, options } = call;
  await reader.readReport(jobId);
  const state = await waitForJob(context, service, jobId, global.timeout);
  const isPartial = options.resume === true && categorizeState(state) === "partial";
  // After the resume, nothing shows that the job had ended before.
  if (isPartial) await reader.readReport(jobId);
  if (isPartial && (await resumeJob(context, service, attempts, jobId)))
    await waitForJob(context, service, jobId, global.timeout);
  await reader.readStatus(jobId);
  await reader.readResults(jobId);
}

/** @throws ClaimsError `production_not_confirmed` */
function requireConfirmation({ global, options }: LearnInvocation, { connection, isDryRun }: Service): void {
  const { baseUrl, environment } = connection;
  if (environment !== "production" || isDryRun) return;
  const writes = options.submit !== undefined || options.testEvent === true;
  if (options.yes && (!writes || global.environment === "production")) return;
  const [verb, hint] = writes
    ? ["writes to", "give --environment production and --yes to write to it"]
    : ["reads", "give --yes to read it; nothing is written"];
  throw credentialError("production_not_confirmed", `this ${verb} PRODUCTION (${baseUrl})`, { hint });
}

/** Requests of other pages, over all lists: a service may have many numbers beside a list. */
const MAX_PAGE_REQUESTS = 24;

/** The reads of a service. The client gives every response to the learner. */
class ServiceReader {
  readonly #service: Service;
  readonly #attempts: Attempts;
  /** The parameters that have changed the items of a list. */
  readonly #pageParameters = new Set<string>();
  #pageRequests = 0;

  constructor(service: Service, attempts: Attempts) {
    this.#service = service;
    this.#attempts = attempts;
  }

  async #read(operation: Operation, input: OperationInput = {}): Promise<unknown> {
    const response = await this.#attempts.read(() => this.#service.client.send(operation, input));
    return response && parseJsonText(response.body.toString("utf8"));
  }

  async readLists(): Promise<void> {
    const { clients, diligence, offers, revenue, webhooks } = this.#service.operations;
    await this.#read(diligence.status, { params: { jobId: UNKNOWN_ID } });
    for (const list of [
      ...[clients.list, webhooks.endpoints, webhooks.deliveries],
      ...[offers.list, revenue.ledger, revenue.dashboard],
    ])
      await this.#readPages(list);
  }

  /** Reads a list, and another page of it by each parameter that may ask for one, or that does in an earlier list. */
  async #readPages(list: Operation): Promise<unknown> {
    const document = await this.#read(list);
    const taken = new Set(this.#pageParameters);
    for (const query of listPageRequests(document)) {
      const [name = ""] = Object.keys(query);
      if (this.#pageRequests >= MAX_PAGE_REQUESTS || (taken.size > 0 && !taken.has(name))) continue;
      this.#pageRequests += 1;
      if (hasOtherItems(document, await this.#read(list, { query }))) this.#pageParameters.add(name);
    }
    return document;
  }

  /** Reads the claims and the status of the first one. Resolves to the id of its job, if it names one. */
  async readClaims(): Promise<string | null> {
    const { list, status } = this.#service.operations.claims;
    const claim = firstRecord(await this.#readPages(list));
    const claimId = claim && typeof claim.id === "string" ? claim.id : null;
    if (claimId !== null) await this.#read(status, { query: { claimId } });
    return claim && "jobId" in claim ? findJobId({ jobId: claim.jobId }) || null : null;
  }

  async readContract(): Promise<void> {
    await this.#read(this.#service.operations.document.openapi);
  }

  /** A word that is not one of the contract is that of the end if it does not change any more. */
  async readStatus(jobId: string): Promise<void> {
    const { status } = this.#service.operations.diligence;
    for (let poll = 1; poll <= POLLS_OF_AN_END; poll += 1) {
      const job = await this.#read(status, { params: { jobId } });
      if (job === undefined || (isRecord(job) && JOB_STATES.some((state) => state === job.state))) return;
    }
  }

  /** Before its end, the response is the error that says so. */
  async readReport(jobId: string): Promise<void> {
    await this.#read(this.#service.operations.diligence.report, { params: { jobId } });
  }

  async readResults(jobId: string): Promise<void> {
    const { report, dataset } = this.#service.operations.diligence;
    for (const operation of [report, dataset]) await this.#read(operation, { params: { jobId } });
  }
}

/** The first record with an id in a list, whatever holds it; an unknown field may have a list, too. */
function firstRecord(document: unknown): Record<string, unknown> | null {
  const lists = Array.isArray(document) ? [document] : isRecord(document) ? Object.values(document) : [];
  const records = lists.flatMap((list) => (Array.isArray(list) ? list : [])).filter(isRecord);
  return records.find(({ id }) => typeof id === "string") ?? null;
}
