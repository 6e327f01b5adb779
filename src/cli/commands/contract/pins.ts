import { createHash } from "node:crypto";
import { dirname, join, resolve } from "node:path";
import { ClaimsError } from "../../../domain/errors.ts";
import { isRecord } from "../../../domain/json.ts";
import type { Context } from "../../context.ts";
import { writeFileAtomically } from "../../files/atomic-file.ts";
import { describeFileError } from "../../files/file-errors.ts";
import { createFolder, resolveFolder } from "../../files/folders.ts";
import { readRegularFile } from "../../files/regular-file.ts";
import type { OptionSpecs } from "../../framework/options.ts";

/** The contract of a service as it was when somebody said: this one. */
export interface Pin {
  readonly baseUrl: string;
  /** Hex SHA-256 of the document's RFC 8785 form. */
  readonly hash: string;
  /** RFC 3339. */
  readonly pinnedAt: string;
  readonly document: Readonly<Record<string, unknown>>;
}

/** Where a pin is kept. */
export const pinOption = {
  pinFile: { value: "file", help: "where the pin is: a file that you keep with your code (your settings)" },
} as const satisfies OptionSpecs;

/** A file of its own for each service, so that a pin can be looked at and copied. */
export function pinPath(context: Context, baseUrl: string, file: string | undefined): string {
  if (file !== undefined) return resolve(context.cwd, file);
  const name = createHash("sha256").update(baseUrl).digest("hex").slice(0, 16);
  return join(resolveFolder(context, "config"), "contracts", `${name}.json`);
}

/** Somebody relies on that very pin. */
export const noPinError = (baseUrl: string, path: string): ClaimsError =>
  new ClaimsError("not_found", "no_pin", `no contract of ${baseUrl} is pinned: there is no ${path}`, {
    hint: "make a pin with `claims contract pin`",
  });

export async function writePin(path: string, pin: Pin): Promise<void> {
  await createFolder(dirname(path), 0o700);
  await writeFileAtomically(path, [`${JSON.stringify(pin, null, 2)}\n`]);
}

/**
 * Null where nothing was pinned for that service.
 *
 * @throws ClaimsError `broken_pin`, also where the document is no longer the one that was pinned; `other_pin`
 */
export async function readPin(path: string, baseUrl: string): Promise<Pin | null> {
  let text: string;
  try {
    text = await readRegularFile(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw invalidPinError(path, describeFileError(error), error);
  }
  const pin = parsePin(text);
  if (pin === null) throw invalidPinError(path, "it holds no pin");
  const { hashContract: contractHash } = await import("./documents.ts");
  if (contractHash(pin.document) !== pin.hash)
    throw invalidPinError(path, "its contract was changed after it was pinned");
  if (pin.baseUrl === baseUrl) return pin;
  throw new ClaimsError(
    "usage",
    "other_pin",
    `${path} pins the contract of ${pin.baseUrl}, not of ${baseUrl}`,
    {
      hint: "name the pin of this service, or make one with `claims contract pin`",
    },
  );
}

function parsePin(text: string): Pin | null {
  try {
    const value: unknown = JSON.parse(text);
    if (!isRecord(value) || !isRecord(value.document)) return null;
    const { baseUrl, hash, pinnedAt, document } = value;
    if (typeof baseUrl !== "string" || typeof hash !== "string" || typeof pinnedAt !== "string") return null;
    return { baseUrl, hash, pinnedAt, document };
  } catch {
    return null;
  }
}

const invalidPinError = (path: string, why: string, cause?: unknown): ClaimsError =>
  new ClaimsError("usage", "broken_pin", `${path} cannot be read: ${why}`, {
    hint: "make a new one with `claims contract pin`",
    cause,
  });
