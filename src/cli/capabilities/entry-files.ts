import { assumed } from "../../contract/labels.ts";
import type { Layout } from "../../domain/entries/entry.ts";
import { FILE_ERROR_CODES } from "../../domain/entries/entry-file-error.ts";
import { FILE_WARNING_MESSAGES } from "../../domain/entries/file-warnings.ts";
import { ROW_ERROR_MESSAGES } from "../../domain/entries/rules/row-error-messages.ts";
import { WARNING_MESSAGES } from "../../domain/entries/rules/warnings.ts";
import { listTemplateColumns } from "../../domain/scenarios/entry-template.ts";
import type { Capabilities } from "../documents/capabilities.ts";

export { generateTemplate } from "../../domain/scenarios/entry-template.ts";

type EntryColumn = Capabilities["entryFiles"]["layouts"][number]["columns"][number];

/** The columns of a layout; the interface shows none. */
export const listEntryColumns = (layout: Layout): EntryColumn[] =>
  listTemplateColumns(layout).map((column) => ({
    ...column,
    alsoAccepted: [...column.alsoAccepted],
    ...assumed("submit.file"),
  }));

export const describeEntryFiles = (): Pick<Capabilities, "entryFiles"> => ({
  entryFiles: {
    layouts: (["entry", "es003"] as const).map((layout) => ({ layout, columns: listEntryColumns(layout) })),
    fileErrors: [...FILE_ERROR_CODES],
    rowErrors: listCodes(ROW_ERROR_MESSAGES),
    fileWarnings: listCodes(FILE_WARNING_MESSAGES),
    entryWarnings: listCodes(WARNING_MESSAGES),
  },
});

const listCodes = (messages: Readonly<Record<string, string>>) =>
  Object.entries(messages).map(([code, message]) => ({ code, message }));
