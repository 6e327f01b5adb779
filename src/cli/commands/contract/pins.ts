import { createHash } from "node:crypto";
import { dirname, join, resolve } from "node:path";
import { type ClaimsError, notFoundError, usageError } from "../../../domain/errors.ts";
import { object, parseJsonAs, string } from "../../../domain/shape.ts";
import type { Context } from "../../context.ts";
import { writeFileAtomically } from "../../files/atomic-file.ts";
import { describeFileError } from "../../files/file-errors.ts";
import { createFolder, resolveFolder } from "../../files/folders.ts";
import { readRegularFile } from "../../files/regular-file.ts";
import type { OptionSpecs } from "../../framework/options.ts";

/** The contract of a service when you pinned it. */
export interface Pin {
  readonly baseUrl: string;
  /** Hex SHA-256 of the document's RFC 8785 form. */
  readonly hash: string;
  /** RFC 3339. */
  readonly pinnedAt: string;
  readonly document: Readonly<Record<string, unknown>>;
}

const pinShape = object({ baseUrl: string, hash: string, pinnedAt: string, document: object({}) });

export const pinOption = {
  pinFile: {
    value: "file",
    help: "file of the pin, to keep with your code",
    default: "a file in your settings",
  },
} as const satisfies OptionSpecs;

export function pinPath(context: Context, baseUrl: string, file: string | undefined): string {
  if (file !== undefined) return resolve(context.cwd, file);
  const name = createHash("sha256").update(baseUrl).digest("hex").slice(0, 16);
  return join(resolveFolder(context, "config"), "contracts", `${name}.json`);
}

export const noPinError = (baseUrl: string, path: string): ClaimsError =>
  notFoundError("no_pin", `no contract of ${baseUrl} is pinned: ${path} does not exist`, {
    hint: "pin the contract with `claims contract pin`",
  });

export async function writePin(path: string, pin: Pin): Promise<void> {
  await createFolder(dirname(path), 0o700);
  await writeFileAtomically(path, [`${JSON.stringify(pin, null, 2)}\n`]);
}

/** Null if the file does not exist. @throws ClaimsError `invalid_input`, `pin_mismatch` */
export async function readPin(path: string, baseUrl: string): Promise<Pin | null> {
  const text = await readRegularFile(path).catch((error: unknown) => {
    throw invalidPinError(`cannot read ${path}: ${describeFileError(error)}`, error);
  });
  if (text === null) return null;
  const pin = parseJsonAs<Pin>(text, pinShape);
  if (pin === null) throw invalidPinError(`${path} is not a pin`);
  const { hashContract } = await import("./documents.ts");
  if (hashContract(pin.document) !== pin.hash)
    throw invalidPinError(`the contract in ${path} was changed after it was pinned`);
  if (pin.baseUrl === baseUrl) return pin;
  throw usageError("pin_mismatch", `${path} pins the contract of ${pin.baseUrl}, not of ${baseUrl}`, {
    hint: "name the pin of this service, or make one with `claims contract pin`",
  });
}

const invalidPinError = (message: string, cause?: unknown): ClaimsError =>
  usageError("invalid_input", message, { hint: "pin the contract again with `claims contract pin`", cause });
