import { submission } from "../../src/contract/diligence.ts";
import type { FieldError } from "../../src/contract/problems.ts";
import { MAX_SELLER_NAME_LENGTH } from "../../src/domain/diligence/seller-matcher.ts";
import type { NewJobFile } from "../engine/jobs/jobs.ts";
import { problemError, validationError } from "../wire/problem-error.ts";
import type { FilePart, MultipartBody } from "./handler.ts";

/** Validates the form of a submission (product.md §5) and takes its file. One error names every invalid field. */
export function readSubmission({ fields, files }: MultipartBody): NewJobFile {
  const errors: FieldError[] = [];
  const addError = (parameter: string, code: string, text: string) => {
    errors.push({ parameter, code, detail: `${parameter}: ${text}.` });
  };
  const readField = (name: string): string | null => {
    const [value, ...more] = fields.get(name) ?? [];
    if (value === undefined) addError(name, "required", "is missing");
    const isAlsoFile = value !== undefined && files.some(({ field }) => field === name);
    if (more.length > 0 || isAlsoFile) addError(name, "duplicate", "given more than once");
    return value ?? null;
  };
  const sellerName = readField("seller_name");
  if (sellerName?.trim() === "") addError("seller_name", "blank", "must not be blank");
  if ([...(sellerName ?? "")].length > MAX_SELLER_NAME_LENGTH)
    addError("seller_name", "too_long", `at most ${MAX_SELLER_NAME_LENGTH} characters`);
  const protestFlag = readField("requires_protest_documentation");
  if (protestFlag !== null && protestFlag !== "true" && protestFlag !== "false")
    addError("requires_protest_documentation", "not_boolean", "must be true or false, in lower case");
  const [file, ...moreFiles] = files.filter(({ field }) => field === "file");
  if (fields.has("file")) addError("file", "not_a_file", "must be a file part, not a text field");
  else if (!file) addError("file", "required", "is missing");
  if (moreFiles.length > 0) addError("file", "duplicate", "given more than once");
  else if (file && !file.upload) throw wrongFileType(file);
  for (const name of new Set([...fields.keys(), ...files.map(({ field }) => field)])) {
    if (!Object.hasOwn(submission.properties, name)) addError(name, "unknown_field", "unknown field");
  }
  if (errors.length > 0 || !file?.upload) throw validationError(errors);
  if (file.bytes === 0)
    throw problemError("file_empty", "The file has no bytes. Submit a CSV with a header and entries.");
  return {
    sellerName: sellerName ?? "",
    requiresProtestDocumentation: protestFlag === "true",
    fileName: file.name,
    fileBytes: file.bytes,
    path: file.upload.take(),
  };
}

const wrongFileType = ({ type }: FilePart) =>
  problemError(
    "unsupported_media_type",
    `The file part is ${type}; it must be text/csv. With curl: -F 'file=@entries.csv;type=text/csv'`,
  );
