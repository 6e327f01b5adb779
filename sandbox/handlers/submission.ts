import { MAX_SELLER_NAME_LENGTH, submission } from "../../src/contract/diligence.ts";
import type { FieldError } from "../../src/contract/problems.ts";
import type { NewJobFile } from "../engine/jobs/jobs.ts";
import { problemError, validationError } from "../wire/problem-error.ts";
import type { FilePart, FormFields, MultipartBody } from "./handler.ts";

/** Judges the form of a submission (product.md §5) and takes its file; every fault is named at once. */
export function readSubmission({ fields, files }: MultipartBody): NewJobFile {
  const errors: FieldError[] = [];
  const sellerName = readSellerName(fields, errors);
  const requiresProtestDocumentation = readProtestFlag(fields, errors);
  const file = readFile(fields, files, errors);
  const names = new Set([...fields.keys(), ...files.map(({ field }) => field)]);
  for (const name of names) {
    if (!Object.hasOwn(submission.properties, name))
      errors.push(fieldError(name, "unknown_field", `${name}: unknown field.`));
  }
  if (errors.length > 0 || !file?.upload) throw validationError(errors);
  if (file.bytes === 0)
    throw problemError("file_empty", "The file has no bytes. Submit a CSV with a header and entries.");
  return {
    sellerName,
    requiresProtestDocumentation,
    fileName: file.name,
    fileBytes: file.bytes,
    path: file.upload.take(),
  };
}

const fieldError = (parameter: string, code: string, detail: string): FieldError => ({
  parameter,
  code,
  detail,
});

function readSellerName(fields: FormFields, errors: FieldError[]): string {
  const value = readSingle(fields, "seller_name", errors) ?? "";
  if (fields.has("seller_name") && value.trim() === "") {
    errors.push(fieldError("seller_name", "blank", "seller_name: must not be blank."));
  }
  if ([...value].length > MAX_SELLER_NAME_LENGTH) {
    const detail = `seller_name: at most ${MAX_SELLER_NAME_LENGTH} characters.`;
    errors.push(fieldError("seller_name", "too_long", detail));
  }
  return value;
}

function readProtestFlag(fields: FormFields, errors: FieldError[]): boolean {
  const name = "requires_protest_documentation";
  const value = readSingle(fields, name, errors);
  if (value !== null && value !== "true" && value !== "false") {
    errors.push(fieldError(name, "not_boolean", `${name}: must be true or false, in lower case.`));
  }
  return value === "true";
}

function readSingle(fields: FormFields, name: string, errors: FieldError[]): string | null {
  const [value, ...more] = fields.get(name) ?? [];
  if (value === undefined) errors.push(fieldError(name, "required", `${name}: is missing.`));
  if (more.length > 0) errors.push(fieldError(name, "duplicate", `${name}: given more than once.`));
  return value ?? null;
}

function readFile(
  fields: FormFields,
  files: readonly FilePart[],
  errors: FieldError[],
): FilePart | undefined {
  const [file, ...more] = files.filter(({ field }) => field === "file");
  if (fields.has("file"))
    errors.push(fieldError("file", "not_a_file", "file: must be a file part, not a text field."));
  else if (!file) errors.push(fieldError("file", "required", "file: is missing."));
  if (more.length > 0) errors.push(fieldError("file", "duplicate", "file: given more than once."));
  else if (file && !file.upload) throw wrongFileType(file);
  return file;
}

const wrongFileType = ({ type }: FilePart) =>
  problemError(
    "unsupported_media_type",
    `The file part is ${type}; it must be text/csv. With curl: -F 'file=@entries.csv;type=text/csv'`,
  );
