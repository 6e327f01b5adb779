import type { Sandbox } from "../../../../sandbox/index.ts";
import type { Service } from "../../connection/service.ts";
import type { Block } from "../../output/output.ts";

/** One step of the story: what it shows, and the command that would do it. */
export interface DemoStep {
  readonly title?: string;
  readonly command?: string;
  readonly line?: string;
  readonly blocks?: readonly Block[];
}

/** Where it plays: the sandbox, and the service as any client sees it. */
export interface DemoContext {
  readonly service: Service;
  readonly sandbox: Sandbox;
  readonly packageDirectory: string;
}

/** What the story came to, for `--json`. */
export interface DemoResult {
  report?: unknown;
  datasetRows?: number;
  resumed?: unknown;
  webhook?: {
    readonly endpointId: string;
    readonly deliveryId: string;
    /** How the delivery stood after each attempt. */
    readonly states: readonly string[];
    readonly verdict: string;
    /** Of the same delivery with its body printed anew. */
    readonly changed: { readonly verdict: string; readonly causes: readonly string[] };
  };
}
