import type { LoggedRequest, Sandbox } from "../../../../sandbox/index.ts";
import type { Context } from "../../context.ts";

const PAUSE_MS = 20;

const MAX_PAUSES = 25;

/** The requests of a program that has ended: the sandbox learns a moment later that their connections are closed. */
export async function readTraffic(
  { sleep }: Context,
  { requests }: Sandbox,
): Promise<readonly LoggedRequest[]> {
  for (let pauses = 0; pauses < MAX_PAUSES; pauses += 1) {
    const list = await requests.list();
    if (list.every(({ outcome }) => outcome !== "running")) return list;
    await sleep(PAUSE_MS);
  }
  return requests.list();
}

export const lastNumber = async ({ requests }: Sandbox): Promise<number> =>
  (await requests.list({ limit: 1 }))[0]?.number ?? 0;
