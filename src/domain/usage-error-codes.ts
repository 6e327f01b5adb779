/** The meaning of an error code, whatever the values in its message, and the general fix. */
export interface ErrorCodeText {
  readonly meaning: string;
  readonly fix: string;
}

export const code = (meaning: string, fix: string): ErrorCodeText => ({ meaning, fix });

/** The codes of kind `usage`, of an invalid command line, option or input file (exit 2). */
export const USAGE_ERROR_CODES = {
  no_files: code("the folder has no .csv file", "name a folder with entry files"),
  option_invalid: code(
    "the value of an option, an argument or a variable is wrong; option names it",
    "the message says what it can be",
  ),
  already_up: code(
    "a sandbox of this name is up",
    "stop it, or give the new one a --sandbox-name and --port 0",
  ),
  cannot_lock: code("the folder of a file to lock does not exist", "create it, or name another file"),
  cannot_read: code("a file or folder cannot be read", "check the path and its permissions"),
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
  config_invalid: code(
    "the file of profiles is damaged, or of a newer version",
    "update claims-toolkit, or move the file away and log in again",
  ),
  duplicate_file: code(
    "two options name one file, or an output would replace an input",
    "name different files",
  ),
  fault_invalid: code("a fault rule is invalid", "`claims sandbox faults add --help` shows the fields"),
  input_too_large: code("the input is too large", "check that it is the right file"),
  invalid_id: code("an id is empty or invalid", "check the variable or the command that it comes from"),
  invalid_input: code(
    "a file or stdin is not what the command reads",
    "the message says what it should be; name the right file, or repair it",
  ),
  invalid_request: code(
    "the request cannot be sent",
    "look for a line break or a non-ASCII character in the values",
  ),
  missing_option: code("a required option or input is missing", "add it"),
  no_claims_service: code("the base URL is not a claims service", "check the base URL"),
  no_deliveries: code("the input has no delivery", "name the fields of the log with --field"),
  no_working_directory: code("the working directory does not exist", "change to an existing folder"),
  not_confirmed: code("the command may not go on without a confirmation, and cannot ask", "add --yes"),
  not_started: code("the sandbox did not start", "read its log file"),
  option_conflict: code("options, or inputs, exclude each other", "leave out one of them"),
  path_elsewhere: code("the path leads outside the base URL", "write it without . and .. segments"),
  pin_mismatch: code("the pin is of another service", "name the pin of this service"),
  unknown_option: code(
    "a function of the library has no option of that name",
    "check the name of the option",
  ),
  port_in_use: code("another program uses the port", "choose another with --port, or --port 0"),
  profile_mismatch: code("the profile is for another service", "name another profile, or move it"),
  sandbox_state_invalid: code(
    "the state file of a sandbox is damaged",
    "remove it, or name the service with --base-url",
  ),
  sandbox_state_unwritable: code(
    "the state file of a sandbox cannot be written",
    "set CLAIMS_CONFIG_DIR to a writable folder",
  ),
  secret_exists: code("there is a signing secret already", "name another place, or give --force"),
  unknown_field: code("an option needs a field that no item has", "use the fields that the hint lists"),
  snapshot_invalid: code(
    "the snapshot is damaged, of another version, or not fit for this sandbox; nothing was loaded",
    "take a new one with this version",
  ),
  usage: code("the command line is invalid", "`claims COMMAND --help` shows what it takes"),
  validation_failed: code(
    "an argument of the library or a query is invalid",
    "correct the value that the message names",
  ),
} as const;
