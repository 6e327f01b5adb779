import { findJobId } from "../../../../client/job-id.ts";
import type { OperationInput } from "../../../../client/request.ts";
import type { Operation } from "../../../../contract/operation.ts";
import type { Evidence } from "../../../../contract/service-form/evidence.ts";
import { hasOtherItems, listPageRequests } from "../../../../contract/service-form/learn/asked-pages.ts";
import { UNKNOWN_ID } from "../../../../contract/service-form/learn/learn-errors.ts";
import { POLLS_OF_AN_END } from "../../../../contract/service-form/learn/learn-states.ts";
import { JOB_STATES } from "../../../../domain/diligence/states.ts";
import { isRecord, parseJsonText } from "../../../../domain/json.ts";
import type { Service } from "../../../connection/service.ts";
import type { Attempts } from "./observe-service.ts";

/** Requests of other pages, over all lists: a service may have many numbers beside a list. */
const MAX_PAGE_REQUESTS = 24;

/** The reads of a service. The client gives every response to the learner. */
export class ServiceReader {
  readonly #service: Service;
  readonly #attempts: Attempts;
  readonly #known: Evidence["responses"];
  /** The parameters that have changed the items of a list. */
  readonly #pageParameters = new Set<string>();
  #pageRequests = 0;

  /** @param known the responses of an earlier run that ended early: they are not requested again */
  constructor(service: Service, attempts: Attempts, known: Evidence["responses"]) {
    this.#service = service;
    this.#attempts = attempts;
    this.#known = known;
  }

  /** Whether an earlier run got a response, or an error if `isError`. */
  isKnown({ id }: Operation, isError = false): boolean {
    return this.#known.some(({ operation, status }) => operation === id && status >= 400 === isError);
  }

  async #read(operation: Operation, input: OperationInput = {}): Promise<unknown> {
    const response = await this.#attempts.read(() => this.#service.client.send(operation, input));
    return response && parseJsonText(response.body.toString("utf8"));
  }

  /** Reads what needs no id. */
  async readLists(): Promise<void> {
    const { clients, diligence, offers, revenue, webhooks } = this.#service.operations;
    if (!this.isKnown(diligence.status, true))
      await this.#read(diligence.status, { params: { jobId: UNKNOWN_ID } });
    for (const list of [
      ...[clients.list, webhooks.endpoints, webhooks.deliveries],
      ...[offers.list, revenue.ledger, revenue.dashboard],
    ])
      if (!this.isKnown(list)) await this.#readPages(list);
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
    if (claimId !== null && !this.isKnown(status)) await this.#read(status, { query: { claimId } });
    return claim && "jobId" in claim ? findJobId({ jobId: claim.jobId }) || null : null;
  }

  async readContract(): Promise<void> {
    const { openapi } = this.#service.operations.document;
    if (!this.isKnown(openapi)) await this.#read(openapi);
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
    for (const operation of [report, dataset])
      if (!this.isKnown(operation)) await this.#read(operation, { params: { jobId } });
  }
}

/** The first record with an id in a list, whatever holds it; an unknown field may have a list, too. */
function firstRecord(document: unknown): Record<string, unknown> | null {
  const lists = Array.isArray(document) ? [document] : isRecord(document) ? Object.values(document) : [];
  const records = lists.flatMap((list) => (Array.isArray(list) ? list : [])).filter(isRecord);
  return records.find(({ id }) => typeof id === "string") ?? null;
}
