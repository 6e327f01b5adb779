import { type Sandbox, type SandboxOptions, startSandbox } from "../../sandbox/index.ts";
import { PROBLEMS } from "../../src/contract/problems.ts";
import { createContractValidator, readTargetPath } from "../support/contract-validator.ts";
import { encodeRequest, RawConnection, type RawResponse } from "./http-client.ts";
import { defineTarget, requireThat, type Session, type Target } from "./target.ts";

/** Whose credential a request has, and where. */
export type CredentialKind = "sandbox" | "apiKey" | "other" | "production" | "oauth" | "control" | "none";

/** In every text of the other partner's records: nobody else may read it. */
const MARK = "7d3f-mark-of-the-other-partner";

/** A sandbox with records of two partners, and what its responses must never do. */
export type FuzzedService = Awaited<ReturnType<typeof startFuzzedService>>;

/**
 * A target whose inputs go to a sandbox.
 *
 * @param target.prepare makes the check of a session, once its sandbox runs
 */
export const defineServiceTarget = <Input>({
  prepare,
  options = {},
  isVaried = false,
  ...target
}: Pick<Target<Input>, "name" | "arbitrary"> & {
  readonly prepare: (
    service: FuzzedService,
    greaseSeed: number | null,
  ) => Session<Input>["check"] | Promise<Session<Input>["check"]>;
  readonly options?: SandboxOptions;
  /** Whether every other session has a service that varies what is assumed. */
  readonly isVaried?: boolean;
}): Target =>
  defineTarget<Input>({
    ...target,
    async open(onError, greaseSeed) {
      const service = await startFuzzedService(onError, {
        ...options,
        ...(isVaried && varyService(greaseSeed)),
      });
      return { check: await prepare(service, greaseSeed), close: () => service.close() };
    },
  });

/** The options of a service whose assumed behaviour varies, if there is a seed. */
export const varyService = (greaseSeed: number | null): SandboxOptions =>
  greaseSeed === null ? {} : { grease: "all", seed: greaseSeed };

/** @param options with `grease`, only what holds in every variant is checked */
export async function startFuzzedService(onError: (error: unknown) => void, options: SandboxOptions = {}) {
  const isVaried = options.grease !== undefined;
  const sandbox = await startMarkedSandbox({ onError, ...options });
  const ids = createIdPool();
  const token = await fetchToken(sandbox);
  const served = await fetch(`${sandbox.url}/v1/docs/openapi`, { headers: bearer(sandbox) });
  const validator = validatorOf(await served.text());
  const connections: RawConnection[] = [];

  const secretOf = (kind: CredentialKind): string =>
    ({
      sandbox: sandbox.credentials.sandbox.apiKey,
      apiKey: sandbox.credentials.sandbox.apiKey,
      other: sandbox.credentials.otherPartner.apiKey,
      production: sandbox.credentials.production.apiKey,
      oauth: token,
      control: sandbox.controlToken,
      none: "",
    })[kind];

  return {
    sandbox,
    ids,

    credentialHeader: (kind: CredentialKind): readonly (readonly [string, string])[] => {
      if (kind === "none") return [];
      return kind === "apiKey"
        ? [["X-API-Key", secretOf(kind)]]
        : [["Authorization", `Bearer ${secretOf(kind)}`]];
    },

    /** Replaces `@url@`, `@clientId:3@` and the like. */
    resolve: (text: string): string =>
      text.replace(/@(?:url|(\w+):(\d+))@/g, (_, name?: string, index?: string) =>
        name === undefined ? sandbox.url : ids.get(name, Number(index)),
      ),

    /** One connection for each request of a check that runs beside another. */
    connection(index: number): RawConnection {
      connections[index] ??= new RawConnection(sandbox.port);
      return connections[index] as RawConnection;
    },

    /** Fails for a response that no caller may get. */
    checkResponse(
      method: string,
      target: string,
      { status, headers, body }: RawResponse,
      credential: CredentialKind = "none",
    ): void {
      const path = readTargetPath(target);
      const describe = (problem: string) => () =>
        `${method} ${path} → ${status}: ${problem}\n${body.toString("utf8", 0, 2_000)}`;
      requireThat(status < 500, describe("5xx"));
      const isOwn = credential === "other" || credential === "control";
      requireThat(isOwn || !body.includes(MARK), describe("data of another partner"));
      if (isVaried) return;
      const text = body.toString("utf8");
      const violation = validator.findViolation({ method, path, status, headers, body: text });
      requireThat(violation === null, describe(String(violation)));
      const operationId = validator.operationIdOf(method, path);
      if (status < 300 && operationId !== undefined && headers.get("content-type")?.includes("json"))
        ids.collect(operationId, text);
    },

    /** {@link checkResponse} for a request that may be damaged: only its refusals have a known form. */
    checkRefusal({ status, headers, body }: RawResponse): void {
      const text = body.toString("utf8");
      const describe = (problem: string) => () => `${status}: ${problem}\n${text.slice(0, 2_000)}`;
      requireThat(status < 500, describe("5xx"));
      requireThat(!body.includes(MARK), describe("data of another partner"));
      if (isVaried || status < 400 || headers.get("content-type")?.startsWith("application/json")) return;
      const problem = { method: "GET", path: "/unknown", status, headers, body: text };
      const violation = validator.findViolation(problem);
      requireThat(violation === null, describe(String(violation)));
      const { code } = JSON.parse(text) as { code: keyof typeof PROBLEMS };
      requireThat(PROBLEMS[code].status === status, describe(`not the status of ${code}`));
    },

    /** Fails unless the sandbox still responds. */
    async checkHealth(): Promise<void> {
      const response = await this.connection(99).exchange(encodeRequest("GET", "/_sandbox/health"));
      requireThat(response?.status === 200, () => `the sandbox is not healthy: ${response?.status}`);
    },

    async close(): Promise<void> {
      for (const connection of connections) connection?.close();
      await sandbox.close();
    },
  };
}

/** A varied service starts in a state that another one made: its responses do not show the id of a job where it is documented. */
async function startMarkedSandbox({ grease, ...options }: SandboxOptions): Promise<Sandbox> {
  const sandbox = await startSandbox(options);
  await plantMarks(sandbox);
  if (grease === undefined) return sandbox;
  const pieces = await sandbox.snapshots.export("now");
  let snapshot = "";
  for (const piece of pieces) snapshot += piece;
  await sandbox.close();
  return startSandbox({ ...options, grease, snapshot, port: sandbox.port });
}

let known: { readonly document: string; readonly validator: Validator } | null = null;
type Validator = ReturnType<typeof createContractValidator>;

/** Compiling takes longer than starting a sandbox, and every sandbox serves the same document. */
function validatorOf(document: string): Validator {
  if (known?.document !== document)
    known = { document, validator: createContractValidator(JSON.parse(document)) };
  return known.validator;
}

const bearer = ({ credentials }: Sandbox) => ({ authorization: `Bearer ${credentials.sandbox.apiKey}` });

async function fetchToken({ url, credentials: { sandbox } }: Sandbox): Promise<string> {
  const response = await fetch(`${url}/v1/oauth/token`, {
    method: "POST",
    body: new URLSearchParams({
      grant_type: "client_credentials",
      client_id: sandbox.clientId,
      client_secret: sandbox.clientSecret,
    }),
  });
  return ((await response.json()) as { access_token: string }).access_token;
}

/** Creates one record of each kind for the other partner. */
async function plantMarks({ url, credentials, idle }: Sandbox): Promise<void> {
  const authorization = `Bearer ${credentials.otherPartner.apiKey}`;
  const send = async (method: string, path: string, body: object): Promise<Record<string, string>> => {
    const response = await fetch(url + path, {
      method,
      headers: {
        authorization,
        // Another sandbox gets the port of this one.
        connection: "close",
        ...(!(body instanceof FormData) && { "content-type": "application/json" }),
      },
      body: body instanceof FormData ? body : JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as Record<string, string>;
  };
  const form = new FormData();
  form.set("seller_name", MARK);
  form.set("requires_protest_documentation", "true");
  const rows = `entry_number,entry_type_code,importer_number,importer_name,entry_date,country_of_origin_code,entered_value,ieepa_duty_paid,liquidation_status\nBND-0000002-9,01,00-4519380AA,${MARK},2025-09-02,VN,10000.00,2000.00,NOT_LIQUIDATED\n`;
  form.set("file", new Blob([rows], { type: "text/csv" }), `${MARK}.csv`);
  const { id: clientId } = await send("POST", "/v1/clients", { name: MARK, reference: MARK });
  const { jobId } = await send("POST", "/v1/diligence/submit", form);
  await idle();
  const { id: claimId } = await send("POST", "/v1/claims", { clientId, jobId });
  await send("POST", "/v1/offers", { claimId });
  await send("POST", "/v1/portfolio-scans", { mode: "full" });
  const contact = { contactName: MARK, contactEmail: "a@example.com", countryCode: "US" };
  await send("PUT", "/v1/partner-organizations/marked", { name: MARK, ...contact });
  const recipient = "a@example.com";
  await send("POST", "/v1/notifications", { recipient, subject: MARK, message: MARK });
  const label = MARK;
  const receiver = `${url}/_sandbox/sink/${MARK}`;
  const subscribedEvents = ["partner.test", "claim.updated"];
  await send("POST", "/v1/webhooks/endpoints", {
    ...{ label, url: receiver, subscribedEvents, environmentScope: "all" },
  });
}

/** How many ids of each kind are known; later ones replace earlier ones. */
const MAX_IDS = 40;

/** Ids of records that responses named, for requests to use. */
function createIdPool() {
  const known = new Map<string, string[]>();
  let next = 0;
  const add = (name: string, id: string) => {
    const list = known.get(name) ?? [];
    if (list.includes(id)) return;
    if (list.length < MAX_IDS) list.push(id);
    else list[next++ % MAX_IDS] = id;
    known.set(name, list);
  };
  const walk = (value: unknown, owner: string): void => {
    if (typeof value !== "object" || value === null) return;
    for (const [key, inner] of Object.entries(value)) {
      if (typeof inner !== "string") walk(inner, owner);
      else if (key === "id") add(owner, inner);
      else if (/Id$|^nextCursor$/.test(key)) add(key, inner);
    }
  };
  return {
    collect: (operationId: string, text: string) => {
      if (text === "") return;
      const [noun = ""] = operationId.split(".");
      const owner = { orgs: "partnerOrgId", webhooks: "endpointId" }[noun] ?? `${noun.replace(/s$/, "")}Id`;
      walk(JSON.parse(text), owner);
    },
    get: (name: string, index: number): string => {
      const kind =
        { claimIds: "claimId", jobIds: "jobId", diligenceJobId: "jobId", cursor: "nextCursor" }[name] ?? name;
      const list = known.get(kind === "baselineScanId" ? "scanId" : kind) ?? [];
      return list[index % Math.max(1, list.length)] ?? "3f2c1f0e-0000-4000-8000-000000000000";
    },
  };
}
