import type { Sandbox } from "../../sandbox/index.ts";
import { call } from "./sandbox-requests.ts";

/** A browser without a script, as far as the pages are concerned. */
export interface InspectorClient {
  readonly base: string;
  /** `name=value` */
  readonly cookie: string;
  readonly formToken: string;
  /** Sends a form as a page does. */
  act(path: string, fields: Record<string, string>): Promise<Response>;
}

/** Opens the inspector with a ticket. */
export async function openInspector(sandbox: Sandbox): Promise<InspectorClient> {
  const { body } = await call(sandbox, "/_sandbox/inspect", { method: "POST", token: sandbox.controlToken });
  const opened = await fetch(String(body.url), { redirect: "manual" });
  const [cookie = ""] = (opened.headers.get("set-cookie") ?? "").split(";");
  const base = `${sandbox.url}/_sandbox/ui`;
  const home = await (await fetch(base, { headers: { cookie } })).text();
  const [, formToken = ""] = /name="token" value="([0-9a-f]+)"/.exec(home) ?? [];
  return {
    base,
    cookie,
    formToken,
    act: (path, fields) =>
      fetch(base + path, {
        method: "POST",
        redirect: "manual",
        headers: { cookie, origin: sandbox.url },
        body: new URLSearchParams({ token: formToken, ...fields }),
      }),
  };
}

export async function readPage({ base, cookie }: InspectorClient, path: string) {
  const response = await fetch(base + path, { headers: { cookie } });
  return { status: response.status, headers: response.headers, text: await response.text() };
}
