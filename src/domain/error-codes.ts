import type { ErrorKind } from "./errors.ts";

/** The meaning of an error code, whatever the values in its message, and the general fix. */
export interface ErrorCodeText {
  readonly meaning: string;
  readonly fix: string;
}

const code = (meaning: string, fix: string): ErrorCodeText => ({ meaning, fix });

/**
 * Every code of `ClaimsError` by its kind, which decides the exit code. The functions that create errors take their codes
 * from this table, by type only: a command does not load the texts.
 */
export const ERROR_CODES = {
  usage: {
    alias_log_unreadable: code(
      "the log of alias traffic cannot be read",
      "remove the file, or make it readable",
    ),
    ambiguous_key: code(
      "several writes have the idempotency key, and a job has one",
      "record them without --job-id",
    ),
    already_up: code("a sandbox of this name is up", "stop it, or give the new one a --name and --port 0"),
    as_of_too_early: code("the scenario needs a later date", "give a later --as-of"),
    frozen_required: code("--at needs --frozen", "add --frozen"),
    ca_invalid: code("the CA file contains an invalid certificate", "name a PEM file of certificates"),
    ca_unreadable: code("the CA file cannot be read", "name a PEM file of certificates"),
    ca_without_certificate: code("the CA file contains no certificate", "name a PEM file of certificates"),
    cannot_lock: code("a lock file cannot be created", "make the folder writable, or name another file"),
    cannot_read: code("a file or folder cannot be read", "check the path and its permissions"),
    cannot_record: code("deliveries cannot be recorded", "free space, or name another folder"),
    cannot_run: code(
      "the program of `sandbox exec` or `conformance` cannot be started",
      "name a program on the PATH, or its path",
    ),
    cannot_write: code(
      "a file or stdout cannot be written",
      "make room or make it writable, or name another file",
    ),
    clock_backwards: code(
      "the clock is already past that time",
      "reset the sandbox or load a snapshot to go back",
    ),
    clock_skew: code("the clocks of this machine and the service differ", "set the clock of this machine"),
    config_invalid: code("the file of profiles is damaged", "repair it, or move it away and log in again"),
    config_newer: code(
      "a newer version wrote the file of profiles",
      "update claims-toolkit, or set CLAIMS_CONFIG_DIR",
    ),
    config_unwritable: code(
      "the file of profiles cannot be written",
      "make it writable, or set CLAIMS_CONFIG_DIR",
    ),
    conflicting_bodies: code(
      "--input and fields exclude each other",
      "give the body with --input, or field by field",
    ),
    conflicting_formats: code("two output formats exclude each other", "choose one of them"),
    control_incomplete: code(
      "CLAIMS_CONTROL_URL and CLAIMS_CONTROL_TOKEN do not name a control API",
      "`claims sandbox env` prints both; or unset them",
    ),
    dotenv_unreadable: code(
      "the file of --dotenv cannot be read, or sets no CLAIMS_ variable",
      "name a UTF-8 file with lines such as CLAIMS_BASE_URL=value",
    ),
    duplicate_file: code(
      "two options name one file, or an output would replace an input",
      "name different files",
    ),
    fault_invalid: code("a fault rule is invalid", "`claims sandbox faults add --help` shows the fields"),
    fault_without_effect: code(
      "the fault rule has no effect",
      "name a preset, or give an effect such as --status",
    ),
    field_clash: code("a field of the body is given twice", "give each field once; key[]=value makes a list"),
    forward_loop: code("the listener would forward to itself", "give the URL of the app, or another --port"),
    header_refused: code("a header cannot be set by hand", "use the option that sets it"),
    host_unavailable: code(
      "the address cannot be listened on",
      "use 127.0.0.1, or an address of this machine",
    ),
    input_too_large: code("the input is too large", "check that it is the right file"),
    invalid_advance_target: code(
      "the target of the clock cannot be read",
      "give a duration, an RFC 3339 time, next or idle",
    ),
    invalid_base_url: code("the base URL is not http(s)://host[:port][/path]", "correct the base URL"),
    invalid_candidate: code("--candidate is not KIND=FILE", "write a kind, =, and the name of a file"),
    invalid_concurrency: code("--concurrency is out of its range", "give a whole number from 1 to 64"),
    invalid_choice: code(
      "the value is not a choice of the option",
      "use one of the choices that --help lists",
    ),
    invalid_date: code("the value is not a date", "write YYYY-MM-DD"),
    invalid_duration: code(
      "the value is not a duration",
      "write seconds, or numbers with units: 500ms, 15m, 3d",
    ),
    invalid_environment: code("CLAIMS_ENVIRONMENT is not an environment", "use sandbox or production"),
    invalid_event: code(
      "the value is not an event name",
      "write lower-case words joined by dots, as in partner.test",
    ),
    invalid_field: code("the value of -f or -F is not a field", "write key=value"),
    invalid_header: code("a header is invalid", "write 'Name: value' in visible ASCII characters"),
    invalid_id: code("an id is empty or invalid", "check the variable or the command that it comes from"),
    invalid_idempotency_key: code(
      "the idempotency key is invalid",
      "use 1 to 255 visible ASCII characters, as in a UUID",
    ),
    invalid_input: code(
      "a delivery cannot be read from the input",
      "check the format: `claims webhooks verify --help`",
    ),
    invalid_json: code("the value is not JSON", "write JSON, @FILE for a file, or - for stdin"),
    invalid_limit: code("--limit is not a positive whole number", "give a whole number from 1 on"),
    invalid_manifest: code(
      "the manifest is invalid; nothing was sent",
      "correct what the error lists; --skip-invalid leaves out rows and files, not errors of the header",
    ),
    invalid_mapping: code("a mapping of headings is invalid", "write HEADING=COLUMN, each heading once"),
    invalid_name: code(
      "the value cannot be a name",
      "use up to 64 letters, digits, dots, dashes and underscores",
    ),
    invalid_observed_service: code(
      "a file of an observed service cannot be read",
      "make it again with claims contract learn",
    ),
    invalid_number: code(
      "the value is not a number in the range",
      "give a number in the range of the message",
    ),
    invalid_pin: code("the pin of the contract is damaged", "pin the contract again"),
    invalid_prefix: code("the secretPrefix is too long", "copy it from the list of endpoints"),
    invalid_proxy: code("a proxy variable is not an http(s) URL", "write it as http://host:port"),
    invalid_recording: code(
      "a recording of traffic cannot be read, or has nothing of this interface",
      "save the traffic with the service as a HAR with content",
    ),
    invalid_request: code(
      "the request cannot be sent",
      "look for a line break or a non-ASCII character in the values",
    ),
    invalid_seller_name: code("the name of the seller is blank or too long", "give 1 to 200 characters"),
    invalid_selection: code(
      "the deliveries are not selected",
      "give delivery ids, - for ids on stdin, or --failed",
    ),
    invalid_signature: code("--signature cannot be the value of a header", "write visible ASCII characters"),
    invalid_size: code("the value is not a size", "write 1000000, 512KiB, 64MiB or 1GiB"),
    invalid_status: code("the value is not a status", "write 404, or 4xx"),
    invalid_target: code("the value is not the URL of a receiver", "write http(s)://host[:port]/path"),
    invalid_time: code("the value is not a time", "write RFC 3339, or unix seconds"),
    invalid_timestamp: code("--timestamp cannot be the value of a header", "write unix seconds"),
    invalid_url: code(
      "the URL of the receiver is invalid",
      "write a complete http(s) URL without user name and password",
    ),
    invalid_wait_condition: code(
      "the condition to wait for is incomplete",
      "give --delivery, --event, --endpoint or --job",
    ),
    is_a_device: code("a device is named instead of a file", "name a file, or - for stdin"),
    is_a_directory: code("a folder is named instead of a file", "name a file in it"),
    last_and_ids: code("--last and job ids exclude each other", "give one of them"),
    layout_without_scenario: code(
      "the scenario does not exist in this layout",
      "use a layout that `claims sandbox scenarios` lists",
    ),
    locked: code("another command uses the file", "try again when it has ended"),
    missing_option: code("a required option is missing", "give the option"),
    multiple_secrets: code("several secrets are given to sign with", "give --secret-file once"),
    nested_too_deep: code("the JSON is nested too deep", "check that it is the right file"),
    no_alias: code("the operation has no alias", "leave out --via-alias"),
    no_body: code("a GET has no body", "leave out --input; -f makes a query"),
    no_ids: code("stdin has no id", "check the command that prints the ids"),
    no_claims_service: code("the base URL is not a claims service", "check the base URL"),
    invalid_field_path: code(
      "--field of `claims webhooks triage` has no name and path",
      "write name=path, such as body=.req.rawBody",
    ),
    no_deliveries: code("the input has no delivery", "name the fields of the log with --field"),
    unknown_expected_rule: code(
      "the file of --expected names a rule that does not exist",
      "correct or remove the lines that the error lists",
    ),
    unknown_rule: code("no rule has that name", "`claims conformance list` shows the rules"),
    unknown_report_suffix: code(
      "the suffix of --report is unknown",
      "end the name with a suffix of the hint",
    ),
    no_delivery: code(
      "no delivery is given",
      "give it with one of the input options of `claims webhooks verify`",
    ),
    no_event: code("nothing names the event", "give --event"),
    no_job_named: code("no job is named", "give a job id, - for ids on stdin, or --last"),
    no_program: code("no program is given to grade", "give its command line after --"),
    no_secret_destination: code("no place for the signing secret is named", "give --secret-file or --store"),
    no_terminal: code("the command cannot ask", "give the option or the variable that the hint names"),
    no_working_directory: code("the working directory does not exist", "change to an existing folder"),
    not_a_manifest: code(
      "an entry file or a workbook is given in place of a manifest",
      "submit an entry file with `claims diligence submit`, or name its folder",
    ),
    not_a_batch_log: code(
      "the file is not a batch log",
      "name a new file, or the batch log of an earlier run",
    ),
    not_a_path: code(
      "the argument is not a path on the service",
      "start it with /, and name the service with --base-url",
    ),
    not_an_object: code("the JSON is not an object", "write a JSON object"),
    not_confirmed: code("the removal was not confirmed", "give --yes"),
    not_json: code("the input is not JSON", "write a JSON object"),
    not_paged: code("--paginate needs GET", "leave it out, or use GET"),
    not_started: code("the sandbox did not start", "read its log file"),
    not_utf8: code("the input is not UTF-8", "save it as UTF-8"),
    nothing_to_send: code("the body has no fields", "give the fields, or --input FILE"),
    nothing_to_check: code("the folder has no CSV file", "name a folder of entry files"),
    nothing_to_submit: code("the folder has no .csv file", "name a folder of entry files, or a manifest"),
    number_too_large: code("a number is too large for JSON", "send it as text with -f"),
    option_conflict: code("two options exclude each other", "leave out one of them"),
    path_elsewhere: code("the path leads outside the base URL", "write it without . and .. segments"),
    pin_mismatch: code("the pin is of another service", "name the pin of this service"),
    unknown_option: code(
      "a function of the library has no option of that name",
      "check the name of the option",
    ),
    port_in_use: code("another program uses the port", "choose another with --port, or --port 0"),
    print_unsupported: code("the request cannot be printed as curl", "use --dry-run"),
    profile_mismatch: code("the profile is for another service", "name another profile, or move it"),
    rate_limit_invalid: code("the rate limit is invalid", "write requests and a time, as in 100/10s"),
    rows_out_of_bounds: code(
      "the scenario cannot have so many rows",
      "give --rows within the bounds of the message",
    ),
    sandbox_state_invalid: code(
      "the state file of a sandbox is damaged",
      "remove it, or name the service with --base-url",
    ),
    sandbox_state_unwritable: code(
      "the state file of a sandbox cannot be written",
      "set CLAIMS_CONFIG_DIR to a writable folder",
    ),
    secret_as_file_name: code(
      "what should be the path of a file looks like a secret",
      "give the path of a file; a name with a dot, as secret.txt, is always a path",
    ),
    secret_exists: code("there is a signing secret already", "name another place, or give --force"),
    secrets_on_terminal: code("a snapshot with secrets would go to the terminal", "name a file, or pipe it"),
    unknown_field: code("an option needs a field that no item has", "use the fields that the hint lists"),
    several_ids: code("stdin has several ids, and the command takes one", "run it once for each id"),
    single_file_required: code("the option takes one file of entries", "run the command once for each file"),
    single_job_required: code("the command takes one job", "run it once for each job id"),
    sort_needs_limit: code("--sort cannot hold all rows in memory", "add --limit"),
    snapshot_damaged: code("the snapshot is damaged; nothing was loaded", "save it again where it was taken"),
    snapshot_guessable: code(
      "the credentials of the snapshot can be guessed",
      "load it into a sandbox on loopback",
    ),
    snapshot_invalid: code(
      "the file is not a snapshot",
      "give a file that `claims sandbox snapshot save --file` wrote",
    ),
    snapshot_name_invalid: code(
      "the name of the snapshot is invalid",
      "use 1 to 64 letters, digits, dots, - and _",
    ),
    snapshot_required: code("no snapshot is named", "give a name, or a --file"),
    snapshot_version_mismatch: code("another version took the snapshot", "take it again with this version"),
    state_file_required: code("--state needs the path of a file", "name a file"),
    state_unwritable: code(
      "the folder of state cannot be written",
      "make it writable, or set CLAIMS_CONFIG_DIR",
    ),
    stdin_conflict: code("two options read stdin", "name a file for one of them"),
    stdin_is_a_terminal: code("the input is missing: stdin is a terminal", "name a file, or pipe the input"),
    time_invalid: code("the time is invalid", "give an RFC 3339 time"),
    time_out_of_range: code("the time is outside the years 0000 to 9999", "give a time in this range"),
    unbounded_output: code("the output format needs an end, and --follow has none", "use --ndjson"),
    unknown_case: code(
      "there is no such probe case",
      "`claims webhooks probe URL --dry-run` lists the cases",
    ),
    unknown_command: code("there is no such command", "`claims help --all` lists the commands"),
    unknown_grease: code("there is no such dimension of grease", "name a dimension, or all"),
    unknown_method: code("there is no such HTTP method", "use GET, POST, PUT, PATCH or DELETE"),
    unknown_scenario: code("there is no such scenario", "`claims sandbox scenarios` lists them"),
    unknown_topic: code("there is no such command or help topic", "`claims --help` lists the topics"),
    usage: code("the command line is invalid", "`claims COMMAND --help` lists arguments and options"),
    validation_failed: code(
      "an argument of the library or a query is invalid",
      "correct the value that the message names",
    ),
    webhook_retries_invalid: code(
      "the retry schedule is invalid",
      "give standard, fast, none or a list such as 0,5s,5m",
    ),
    write_log_unreadable: code("the write log cannot be read", "make it readable"),
    write_log_unwritable: code(
      "the write log cannot be written; nothing was sent",
      "make it writable, or set CLAIMS_CONFIG_DIR",
    ),
    port_invalid: code("the port is invalid", "give 0 to 65535"),
    seed_invalid: code("the seed is invalid", "give a whole number"),
    job_speed_invalid: code("the job speed is invalid", "give instant or real"),
    max_upload_invalid: code("the largest upload is invalid", "give a whole number of at least 1"),
    grease_invalid: code("the grease is invalid", "give a list of dimensions"),
    allow_public_webhooks_invalid: code("allowPublicWebhooks is invalid", "give true or false"),
    webhook_timeout_invalid: code(
      "the webhook timeout is invalid",
      "give milliseconds within the bounds of the message",
    ),
    request_log_size_invalid: code("the size of the request log is invalid", "give a whole number"),
    temp_dir_invalid: code("the folder for uploads does not exist", "give an existing folder"),
  },
  not_found: {
    sink_not_found: code(
      "no endpoint points at the sink, and it received nothing",
      "check its name, or register an endpoint for it",
    ),
    attempt_not_found: code(
      "the delivery has no such attempt",
      "leave out --attempt, or give a smaller number",
    ),
    credentials_unknown: code(
      "this machine does not know the credentials of the sandbox",
      "run the command where the sandbox was started",
    ),
    delivery_not_found: code(
      "the delivery does not exist for this credential",
      "list them with `claims webhooks deliveries`",
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
    no_profile: code("no profile is named, and none is current", "create one with `claims auth login`"),
    unknown_key: code(
      "no write of this machine has the idempotency key",
      "`claims history --unknown` lists the keys",
    ),
    no_sandbox: code("no sandbox of this name is up", "start one with `claims sandbox up`"),
    request_not_found: code(
      "the request is not in the request log",
      "list them with `claims sandbox requests`",
    ),
    snapshot_not_found: code("the snapshot does not exist", "list them with `claims sandbox snapshot list`"),
    unknown_alias: code("there is no such alias", "list them with `claims aliases list`"),
    unknown_profile: code("there is no such profile", "list them with `claims profiles list`"),
  },
  credential: {
    credential_mismatch: code(
      "the credential is for another service or environment",
      "log in to this service, or name another profile",
    ),
    incomplete_credential: code("half of an OAuth client is set", "set both the id and the secret"),
    invalid_secret: code(
      "a secret is not one word of visible ASCII characters",
      "store it without a line end, quotes or spaces",
    ),
    no_access_token: code(
      "the token route returned no token",
      "check that the base URL is the service itself",
    ),
    no_credential: code(
      "there is no credential for the service",
      "`claims auth login` stores one; or set CLAIMS_API_KEY",
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
    invalid_effects_counter: code(
      "the URL of --effects-url does not respond with a number",
      "respond 200 with a number, or with JSON that has one number",
    ),
    advance_endless: code("the agenda of the clock does not end", "advance the clock again to continue"),
    alias_sunset: code(
      "the sunset date of the alias has passed",
      "use the canonical path, or give --allow-sunset",
    ),
    clock_interrupted: code("the sandbox was reset while its clock was advanced", "advance it again"),
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
    endpoint_out_of_scope: code(
      "the scope of the endpoint does not include the environment",
      "emit the event in the other environment",
    ),
    endpoint_revoked: code("the endpoint is revoked, which is final", "register another one"),
    deadlines_urgent: code(
      "a deadline is within 14 days, and --fail-on names urgent",
      "act on the entries: `claims diligence dataset JOB --due-before 14d` lists them",
    ),
    entries_rejected: code(
      "more entries are rejected than --fail-on allows",
      "fix the entries that the report lists",
    ),
    delimiter_not_found: code(
      "the header has no such delimiter",
      "name what separates the cells with --delimiter",
    ),
    heading_conflict: code("two headings stand for one column", "map only one of them"),
    heading_not_found: code("the file lacks a heading of --map", "correct the heading"),
    source_mismatch: code(
      "the file is not the one that was submitted",
      "name the submitted file with --source",
    ),
    source_not_found: code("the submitted file was not found", "name the submitted file with --source"),
    rejections_not_listed: code(
      "the report does not show what is needed to find the rejected rows",
      "read the report with --json",
    ),
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
    missing_prefix: code("the endpoint has no secretPrefix", "look at the response with --json"),
    no_id: code(
      "a record of the response has no id",
      "after a creation, look for the new record before you run the command again",
    ),
    list_incomplete: code(
      "the service has more rows than it sent, and this program cannot follow its pages",
      "read the other pages with `claims api GET`",
    ),
    folder_of_other_job: code(
      "the folder of a pull has the files of another job",
      "name another folder, or remove this one",
    ),
    no_record: code(
      "the response is not an object, although the route has one record",
      "look at it with `claims api GET`",
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
    replay_failed: code(
      "the request could not be sent again",
      "check the sandbox with `claims sandbox status`",
    ),
    no_subscriber: code(
      "no active endpoint subscribes to the event",
      "register an endpoint for it, or emit it to one endpoint",
    ),
    request_log_off: code("the sandbox keeps no request log", "start it without --request-log-size 0"),
    request_not_kept: code(
      "the request log does not have the whole request",
      "send it again with the program that sent it",
    ),
    response_too_large: code("the response is too large", "read it as a stream"),
    sandbox_closed: code("the sandbox is closed", "start another one"),
    sandbox_only: code("only a sandbox has this route", "use a sandbox on this machine"),
    sandbox_reset: code("the sandbox was reset while it sent a dataset", "submit the file again"),
    signing_secret_missing: code(
      "the response for the new endpoint has no signingSecret",
      "use one version of this program and the sandbox",
    ),
    too_many_endpoints: code(
      "the partner has too many active endpoints",
      "disable or revoke those that you do not need",
    ),
    too_many_faults: code("there are too many fault rules", "clear the rules that you do not need"),
    too_many_snapshots: code("there are too many snapshots", "remove one, or export it to a file"),
  },
  unreachable: {
    address_blocked: code(
      "the sandbox does not deliver to the address of the receiver",
      "use a loopback or private address, or `--allow-public-webhooks`",
    ),
    connection_refused: code("the receiver refuses connections", "start it, or check host and port"),
    connection_reset: code("the receiver ended the connection", "look at its log"),
    control_route_not_found: code("the sandbox does not know the operation", "restart it with this version"),
    dns_error: code("the host of the receiver is unknown", "check the host name"),
    network_error: code("the receiver could not be reached", "look at its log"),
    no_response: code(
      "the receiver does not respond to the probe",
      "check that it is running; --timeout gives it more time",
    ),
    outcome_unknown: code(
      "a write was sent, and its outcome is unknown",
      "look for it on the service; see `claims history --unknown`",
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
  },
  verification: {
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
    contracts_differ: code("two contracts differ", "the rows say what each difference means to a client"),
    contract_changed: code(
      "the contract differs from the pinned one",
      "see `claims contract diff`; pin it if you accept it",
    ),
    contract_too_complex: code(
      "the schemas of the contract are too complex",
      "check that it is the contract",
    ),
    etag_differs: code(
      "the hash of the contract is not its ETag",
      "look for a proxy that changes the document",
    ),
    fails_without_grease: code("the program fails without grease too", "fix that first"),
    mixed_contract: code("report and dataset have different contract versions", "pull again"),
    observation_stale: code(
      "the contract of the service changed since it was observed",
      "observe it again with `claims contract learn --merge`",
    ),
    not_a_contract: code("the document is not an OpenAPI contract", "check the base URL or the file"),
    deliveries_refused: code(
      "the receiver refused deliveries that verify",
      "look at the receiver: claims webhooks probe URL",
    ),
    deliveries_not_valid: code("some deliveries are not valid", "follow the fix of each cause"),
    not_verified: code("a delivery did not verify", "`claims webhooks verify` explains the cause"),
    prefix_mismatch: code("the secret is not that of the endpoint", "use the secret of this endpoint"),
    probe_failed: code("the receiver fails documented cases", "follow the fix of each diagnosis"),
    relies_on_assumptions: code(
      "the program relies on undocumented behaviour",
      "each row names the assumption",
    ),
    secrets_differ: code("the secrets differ", "use the same signingSecret in all places"),
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
    not_submitted: code("the batch has not sent the file", "run the batch without --status"),
    still_pending: code(
      "the job or scan has not ended",
      "wait with `claims diligence wait`, or give a longer --timeout",
    ),
    wait_timed_out: code("the condition was not met in time", "wait longer; advance a frozen clock"),
  },
  unfinished_job: {
    job_failed: code("the job failed", "fix the file and submit it again, or resume the job"),
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
    no_secret_returned: code(
      "an endpoint was created, and its response has no signing secret",
      "read the saved response; have the endpoint revoked, and create another one",
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

/** The codes of a kind of error. */
export type ErrorCode<K extends ErrorKind> = keyof (typeof ERROR_CODES)[K] & string;
