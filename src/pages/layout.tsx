import type { ComponentChildren } from "preact";
import { ActionForm, Button, Time } from "./parts.tsx";
import { LISTS, type ListName, useSite } from "./site.ts";

export interface ClockModel {
  /** RFC 3339 */
  readonly now: string;
  readonly frozen: boolean;
}

export interface DocumentProps {
  readonly title: string;
  readonly head: ComponentChildren;
  readonly bodyClass?: string | undefined;
  readonly children: ComponentChildren;
}

export const Document = ({ title, head, bodyClass, children }: DocumentProps) => (
  <html lang="en">
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="color-scheme" content="light dark" />
      <title>{title}</title>
      {head}
    </head>
    <body class={bodyClass}>{children}</body>
  </html>
);

export interface FrameProps {
  readonly title: string;
  /** The list that the page is, or belongs to. */
  readonly current: ListName | null;
  readonly clock: ClockModel;
  readonly url: string;
  readonly message: { readonly tone: "success" | "failure"; readonly text: string } | null;
  readonly children: ComponentChildren;
}

/** A page of the inspector: its header with the clock, and its content. */
export function Frame({ title, current, clock, url, message, children }: FrameProps) {
  const { links } = useSite();
  return (
    <Document
      title={`${title} · claims sandbox`}
      head={
        <>
          <link rel="icon" href={links.action("/assets/icon.svg")} />
          <link rel="stylesheet" href={links.action("/assets/style.css")} />
          <script src={links.action("/assets/refresh.js")} defer />
        </>
      }
    >
      <a class="skip" href="#content">
        Skip to the content
      </a>
      <header class="top">
        <Masthead current={current} url={url} />
        <ClockBar clock={clock} />
      </header>
      <main id="content" tabindex={-1}>
        {message && (
          <p class={`message ${message.tone}`} role="status">
            {message.text}
          </p>
        )}
        {children}
      </main>
      <footer>
        Data of a local sandbox, with illustrative rules. Times are of the sandbox clock unless a duration is
        given.
      </footer>
    </Document>
  );
}

export function Masthead({ current, url }: Pick<FrameProps, "current" | "url">) {
  const { links } = useSite();
  return (
    <div class="masthead">
      <p class="brand">
        claims sandbox <code>{url}</code>
      </p>
      <nav aria-label="Views">
        {(Object.keys(LISTS) as ListName[]).map((name) => (
          <a key={name} href={links.list(name)} aria-current={current === name ? "page" : undefined}>
            {LISTS[name]}
          </a>
        ))}
      </nav>
    </div>
  );
}

const MOVES = [
  ["next", "Next due"],
  ["1h", "+1 hour"],
  ["1d", "+1 day"],
  ["7d", "+1 week"],
  ["idle", "To idle"],
] as const;

function ClockBar({ clock }: { readonly clock: ClockModel }) {
  return (
    <div class="clock" data-live="clock">
      <p>
        <span class={clock.frozen ? "badge frozen" : "badge running"}>
          {clock.frozen ? "frozen" : "running"}
        </span>{" "}
        <Time at={clock.now} isFull />
      </p>
      <ActionForm path="/clock" label="Move the clock">
        {MOVES.map(([to, label]) => (
          <Button key={to} name="to" value={to}>
            {label}
          </Button>
        ))}
        <Button name="to" value={clock.frozen ? "unfreeze" : "freeze"}>
          {clock.frozen ? "Unfreeze" : "Freeze"}
        </Button>
      </ActionForm>
    </div>
  );
}
