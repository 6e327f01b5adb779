import { DATASET_FORMATS } from "./open-dataset.ts";

/** Without a help, which depends on the command. */
export const datasetFormat = { value: "format", choices: DATASET_FORMATS, default: "json" } as const;
