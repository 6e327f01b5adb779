import type { ErrorKind } from "./errors.ts";
import { code, type ErrorCodeText, USAGE_ERROR_CODES } from "./usage-error-codes.ts";

/** Every code of `ClaimsError` by its kind, which decides the exit code. Read by type only: a command loads no text. */
export const ERROR_CODES = {
  usage: USAGE_ERROR_CODES,
  not_found: {
    sink_not_found: code(
      "no endpoint points at the sink, and it received nothing",
      "check its name, or register an endpoint for it",
    ),
    delivery_not_found: code(
      "the delivery, or the attempt, does not exist for this credential",
      "`claims webhooks deliveries list` shows them",
    ),
    endpoint_not_found: code(
      "the endpoint does not exist for this credential",
      "list them with `claims webhooks list`",
    ),
    fault_not_found: code("the fault rule does not exist", "list them with `claims sandbox faults list`"),
    invalid_id: code("the id or name cannot exist", "check the variable that it came from"),
    job_not_found: code(
      "the job does not exist",
      "list the jobs of this machine with `claims diligence history`",
    ),
    no_last_job: code(
      "this machine submitted no job to the service",
      "`claims diligence history --all` lists its jobs",
    ),
    no_pin: code("no contract is pinned", "pin it with `claims contract pin`"),
    unknown_key: code(
      "no write of this machine has the idempotency key",
      "`claims history --unknown` lists the keys",
    ),
    no_sandbox: code(
      "no sandbox of this name is up, or this machine does not know its credentials",
      "`claims sandbox up` starts one",
    ),
    request_not_found: code(
      "the request is not in the request log",
      "list them with `claims sandbox requests`",
    ),
    snapshot_not_found: code("the snapshot does not exist", "list them with `claims sandbox snapshot list`"),
    unknown_alias: code("there is no such alias", "list them with `claims aliases list`"),
    unknown_profile: code("there is no such profile", "`claims profiles list` shows them"),
  },
  credential: {
    credential_mismatch: code(
      "the credential is for another service or environment",
      "log in to this service, or name another profile",
    ),
    invalid_secret: code(
      "a secret is not one word of visible ASCII characters",
      "store it without a line end, quotes or spaces",
    ),
    no_access_token: code(
      "the token route returned no token",
      "check that the base URL is the service itself",
    ),
    no_credential: code(
      "there is no credential for the service, or half of one",
      "set a key, or both values of an OAuth client",
    ),
    no_oauth_client: code(
      "only an OAuth client can fetch a token",
      "set CLAIMS_CLIENT_ID and CLAIMS_CLIENT_SECRET",
    ),
    no_secret: code("no signing secret is configured", "give --secret-file or CLAIMS_WEBHOOK_SECRET"),
    no_service: code(
      "no service is named, and no sandbox is up",
      "start one with `claims sandbox up`, or log in with `claims auth login`",
    ),
    oauth_is_sandbox_only: code("OAuth clients work in the sandbox only", "use an API key in production"),
    production_not_confirmed: code("the write to production was not confirmed", "give --yes"),
    secret_unreadable: code("a file with a secret cannot be read", "name a file that holds only the secret"),
    wrong_environment: code(
      "a record is of the other environment, or a test event is not for the sandbox",
      "check the credential and --environment",
    ),
  },
  rejected: {
    wrong_job: code("a file or folder belongs to another job", "name another folder, or the job of the file"),
    too_many: code("there are too many fault rules or snapshots", "remove some"),
    response_incomplete: code("the response lacks what the command needs", "`-v` shows the response"),
    mapping_failed: code(
      "the file does not fit --map or --delimiter",
      "compare the headings of the file with them",
    ),
    form_invalid: code(
      "the form of a service has mistakes",
      "`claims contract form check FILE` names each with its place",
    ),
    alias_sunset: code(
      "the sunset date of the alias has passed",
      "use the canonical path, or give --allow-sunset",
    ),
    clock_interrupted: code(
      "the clock stopped before its target: the sandbox was reset, or its agenda does not end",
      "give a nearer target",
    ),
    inspector_not_available: code(
      "the pages of the inspector are served on loopback only",
      "write them to a file with `claims sandbox inspect --out run.html`",
    ),
    delivery_rejected: code("the receiver rejected the delivery", "look at its response"),
    check_failed: code(
      "the file does not follow the assumed format",
      "fix the file, or leave out --check strict",
    ),
    not_a_text_table: code("the file is no table of text", "save it as CSV, or send it with --no-check"),
    duplicate: code("the submission equals an earlier one", "give --on-duplicate submit to submit it again"),
    endpoint_not_active: code("the endpoint is not active", "activate it, or register another one"),
    endpoint_revoked: code("the endpoint is revoked, which is final", "register another one"),
    row_invalid: code(
      "a row of the batch cannot be submitted (--skip-invalid)",
      "correct the row or the file and run the batch again",
    ),
    file_empty: code(
      "the entry file is empty; nothing was sent",
      "give a CSV file with a header and entries",
    ),
    format_not_available: code("the service does not send this format", "leave out the format"),
    invalid_secret: code(
      "the service returned an unusable signing secret",
      "do not use the endpoint; ask the service's operator",
    ),
    list_incomplete: code(
      "the service has more rows than it sent, and this program cannot follow its pages",
      "read the other pages with `claims api GET`",
    ),
    not_local: code(
      "--register needs a sandbox on this machine",
      "register the listener with `claims webhooks create`",
    ),
    outcome_known: code(
      "the outcome of the write is known, or its process is running",
      "`claims history --unknown` lists the writes to resolve",
    ),
    outcome_conditional: code("--fail-on names this outcome of rf8Review", "read the checks of the report"),
    outcome_declined: code("--fail-on names this outcome of rf8Review", "read the checks of the report"),
    no_subscriber: code(
      "no active endpoint gets the event in this environment",
      "subscribe one with `claims webhooks create`",
    ),
    request_log_off: code("the sandbox keeps no request log", "start it with a request log"),
    request_not_kept: code(
      "the request log does not have the whole request",
      "send it again, with --request-log-size and bodies kept",
    ),
    response_too_large: code("the response is too large", "read it as a stream"),
    sandbox_closed: code("the sandbox was closed or reset meanwhile", "start again"),
    sandbox_only: code("only a sandbox has this route", "use a sandbox on this machine"),
    too_many_endpoints: code(
      "the partner has too many active endpoints",
      "disable or revoke those that you do not need",
    ),
  },
  unreachable: {
    address_blocked: code(
      "the sandbox does not deliver to the address of the receiver",
      "use a loopback or private address, or `--allow-public-webhooks`",
    ),
    connection_refused: code("the receiver refuses connections", "start it, or check host and port"),
    connection_reset: code("the receiver ended the connection", "look at its log"),
    cannot_lock: code("a lock file cannot be created", "make the folder writable, or name another file"),
    cannot_write: code("the disk or stdout takes no more data", "make room, and run the command again"),
    control_route_not_found: code("the sandbox does not know the operation", "restart it with this version"),
    dns_error: code("the host of the receiver is unknown", "check the host name"),
    locked: code("another command uses the file, or took it over", "try again when it has ended"),
    network_error: code("the receiver could not be reached", "look at its log"),
    no_response: code(
      "the receiver does not respond to the probe",
      "check that it is running; --timeout gives it more time",
    ),
    outcome_unknown: code(
      "a write was sent, and its outcome is unknown",
      "look for it on the service; see `claims history --unknown`",
    ),
    output_lost: code(
      "a write was executed, and its result could not be printed",
      "look at the saved response; do not run the command again",
    ),
    paging_elsewhere: code("the next page is on another service", "read that page separately"),
    paging_loop: code(
      "the next page repeats an earlier one",
      "all pages were read; report it to the service's operator",
    ),
    probe_inconclusive: code("the probe has no result", "give --timeout, or fewer cases with --only"),
    proxy_refused: code("the proxy refused the connection", "check the proxy variables"),
    response_truncated: code("the response is incomplete", "try again"),
    still_up: code("the sandbox did not stop", "stop its process"),
    unknown_outcomes: code(
      "`history --unknown` lists writes with an unknown outcome",
      "run their commands again, or use `claims history resolve`",
    ),
    unexpected_response: code(
      "the response is not that of this service",
      "check the base URL, and the versions",
    ),
    timeout: code("the receiver did not respond in time", "respond first and work afterwards"),
    tls_error: code(
      "the certificate of the receiver is not trusted",
      "name its authority in NODE_EXTRA_CA_CERTS",
    ),
    unreachable: code("the service does not respond", "check the base URL and the network, or wait longer"),
    write_log_unreadable: code("the write log cannot be read", "make it readable"),
    write_log_unwritable: code(
      "the write log cannot be written; nothing was sent",
      "make it writable, or set CLAIMS_CONFIG_DIR",
    ),
  },
  verification: {
    form_differs: code(
      "the service differs from the file with its form",
      "`claims contract form compare FILE` lists the places",
    ),
    conformance_failed: code(
      "the program fails documented rules",
      "the report names each rule with its requests, statement and fix",
    ),
    nothing_touched: code(
      "the program did nothing that a rule is about",
      "let it send its requests to CLAIMS_BASE_URL",
    ),
    stale_expectation: code(
      "a rule of --expected passes",
      "remove it from the file, or write the file again with --write-expected",
    ),
    contract_breaks: code(
      "the contract breaks this client",
      "see `claims contract diff`; update claims-toolkit",
    ),
    contract_changed: code(
      "the contract differs from the one it was compared with",
      "`claims contract diff` shows the differences",
    ),
    fails_without_grease: code("the program fails without grease too", "fix that first"),
    not_a_contract: code(
      "the document is not an OpenAPI contract that can be compared",
      "name the contract of the service",
    ),
    deliveries_refused: code(
      "the receiver refused deliveries that verify",
      "look at the receiver: claims webhooks probe URL",
    ),
    not_verified: code("deliveries did not verify", "`claims webhooks verify` names the causes"),
    probe_failed: code("the receiver fails documented cases", "follow the fix of each diagnosis"),
    relies_on_assumptions: code(
      "the program relies on undocumented behaviour",
      "each row names the assumption",
    ),
    secrets_differ: code(
      "the secret is not that of the endpoint, or two secrets differ",
      "use the secret of the endpoint",
    ),
    signature_malformed: code("a signature header is malformed", "follow the fix of the cause"),
    signature_mismatch: code("the signature does not match", "follow the fix of the cause"),
    signature_missing_header: code("a signature header is missing", "follow the fix of the cause"),
    signature_stale: code(
      "the signature matches, and the timestamp is too old",
      "check the clocks, or raise --tolerance",
    ),
  },
  pending: {
    deliveries_missing: code(
      "fewer deliveries arrived than expected",
      "give a longer --timeout, or check the sender",
    ),
    still_pending: code(
      "the job or scan has not ended",
      "wait with `claims diligence wait`, or give a longer --timeout",
    ),
    wait_timed_out: code("the condition was not met in time", "wait longer; advance a frozen clock"),
  },
  unfinished_job: {
    job_failed: code("the job failed", "fix the file and submit it again, or resume the job"),
    job_state_unknown: code(
      "the job has ended, and its state is not known",
      "learn the words of the service with `claims contract learn --submit`",
    ),
    job_partial: code("the job ended partial", "`claims diligence resume JOB --wait` completes it"),
    scan_failed: code("the scan failed", "`claims scans get SCAN --json` shows the reason"),
    scan_partial: code("the scan ended partial", "`claims scans get SCAN --json` shows the reason"),
  },
  needs_decision: {
    accepted_elsewhere: code(
      "a write was accepted in another environment than that of the profile",
      "check the credential and the profile before you write again",
    ),
    job_id_unknown: code(
      "a submission was accepted, and its response has no readable job id",
      "look for the job on the service; name the place of the id with --job-id-path",
    ),
    key_expired: code(
      "the idempotency key belongs to an accepted write, and the service may have forgotten it",
      "take another key, or send it again with --resend-unknown",
    ),
    no_secret_returned: code(
      "an endpoint was created, and its response has no signing secret",
      "read the saved response; have the endpoint revoked, and create another one",
    ),
    outcome_unknown: code(
      "the outcome of a write is unknown, and it is not sent again by itself: its key is too old, or the service keeps none",
      "look for it on the service; then `claims history resolve KEY`, or --resend-unknown",
    ),
    response_unrecognized: code(
      "a write was answered with success by something that is not a response of the claims service",
      "look for it on the service, and check the base URL; see `claims history --unknown`",
    ),
  },
  interrupted: {
    interrupted: code("a signal stopped the command", "run the command again to continue"),
    interrupted_unknown: code(
      "a signal stopped a write, and its outcome is unknown",
      "look for it on the service",
    ),
  },
} as const satisfies Readonly<Record<ErrorKind, Readonly<Record<string, ErrorCodeText>>>>;

export type ErrorCode<K extends ErrorKind> = keyof (typeof ERROR_CODES)[K] & string;
