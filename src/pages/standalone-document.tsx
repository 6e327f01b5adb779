import { createHash } from "node:crypto";
import type { ComponentChildren } from "preact";
import { Document } from "./layout.tsx";
import { STYLESHEET } from "./stylesheet.ts";

const hashOf = (text: string): string => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

interface StandaloneDocumentProps {
  readonly title: string;
  readonly bodyClass?: string;
  readonly children: ComponentChildren;
}

/** A document that needs no network and may load nothing: its policy allows only the text that is in it. */
export const StandaloneDocument = ({ title, bodyClass, children }: StandaloneDocumentProps) => (
  <Document
    title={title}
    bodyClass={bodyClass}
    head={
      <>
        <meta
          http-equiv="Content-Security-Policy"
          content={[
            "default-src 'none'",
            `style-src ${hashOf(STYLESHEET)}`,
            "form-action 'none'",
            "base-uri 'none'",
          ].join("; ")}
        />
        {/* Our own stylesheet: its quotes must stay. */}
        <style dangerouslySetInnerHTML={{ __html: STYLESHEET }} />
      </>
    }
  >
    {children}
  </Document>
);
