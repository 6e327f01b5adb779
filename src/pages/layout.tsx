import { createHash } from "node:crypto";
import type { ComponentChildren, RenderableProps } from "preact";
import { ActionForm, Badge, Time } from "./parts.tsx";
import { MAIN_PAGE_NAMES, MAIN_PAGES, type MainPageName, useSite } from "./site.ts";
import { STYLESHEET } from "./stylesheet.ts";

interface DocumentProps {
  readonly title: string;
  readonly head?: ComponentChildren;
  readonly bodyClass?: string;
}

export const Document = ({ title, head, bodyClass, children }: RenderableProps<DocumentProps>) => (
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

const STYLE_HASH = createHash("sha256").update(STYLESHEET).digest("base64");

const FILE_POLICY = `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; form-action 'none'; base-uri 'none'`;

interface FrameProps {
  readonly title: string;
  /** The URL of the sandbox. */
  readonly url: string;
}

/** A file that needs no network and may load nothing: its policy allows only the text that is in it. */
export function FileFrame({ title, url, children }: RenderableProps<FrameProps>) {
  const { now } = useSite();
  return (
    <Document
      title={title}
      bodyClass="run"
      head={
        <>
          <meta http-equiv="Content-Security-Policy" content={FILE_POLICY} />
          {/* Our own stylesheet: its quotes must stay. */}
          <style dangerouslySetInnerHTML={{ __html: STYLESHEET }} />
        </>
      }
    >
      <header class="top">
        <Masthead current={null} url={url} />
        <p class="clock">
          <Badge tone="due">ended</Badge> <Time at={now} />
        </p>
      </header>
      <main>{children}</main>
    </Document>
  );
}

/** What an action did, or why it failed. */
export interface Message {
  readonly tone: "success" | "failure";
  readonly text: string;
}

interface PageFrameProps extends FrameProps {
  /** The main page that it is, or belongs to. */
  readonly current: MainPageName | null;
  readonly isFrozen: boolean;
  readonly message: Message | null;
}

/** A page of the inspector: its header with the clock, and its content. */
export function PageFrame(props: RenderableProps<PageFrameProps>) {
  const { title, current, isFrozen, url, message, children } = props;
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
        <ClockBar isFrozen={isFrozen} />
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

function Masthead({ current, url }: Pick<PageFrameProps, "current" | "url">) {
  const { links } = useSite();
  return (
    <div class="masthead">
      <p class="brand">
        claims sandbox <code>{url}</code>
      </p>
      <nav aria-label="Views">
        {MAIN_PAGE_NAMES.map((name) => (
          <a href={links.mainPage(name)} aria-current={current === name ? "page" : undefined}>
            {MAIN_PAGES[name]}
          </a>
        ))}
      </nav>
    </div>
  );
}

const MOVES = {
  next: "Next due",
  "1h": "+1 hour",
  "1d": "+1 day",
  "7d": "+1 week",
  idle: "To idle",
} as const;

function ClockBar({ isFrozen }: { readonly isFrozen: boolean }) {
  const moves = { ...MOVES, ...(isFrozen ? { unfreeze: "Unfreeze" } : { freeze: "Freeze" }) };
  return (
    <div class="clock" data-live="clock">
      <p>
        <Badge tone={isFrozen ? "frozen" : "running"}>{isFrozen ? "frozen" : "running"}</Badge>{" "}
        <Time at={useSite().now} />
      </p>
      <ActionForm path="/clock" label="Move the clock">
        {Object.entries(moves).map(([to, label]) => (
          <button type="submit" name="to" value={to}>
            {label}
          </button>
        ))}
      </ActionForm>
    </div>
  );
}
