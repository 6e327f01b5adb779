import { createHash } from "node:crypto";
import type { ComponentChildren } from "preact";
import { Document } from "./layout.tsx";
import style from "./style.css?text";

const STYLE_HASH = `sha256-${createHash("sha256").update(style).digest("base64")}`;

interface StandaloneDocumentProps {
  readonly title: string;
  readonly bodyClass?: string;
  readonly children: ComponentChildren;
}

/** A document that needs no network and may load nothing. */
export const StandaloneDocument = ({ title, bodyClass, children }: StandaloneDocumentProps) => (
  <Document
    title={title}
    bodyClass={bodyClass}
    head={
      <>
        <meta
          http-equiv="Content-Security-Policy"
          content={`default-src 'none'; style-src '${STYLE_HASH}'`}
        />
        {/* Our own stylesheet: its quotes must stay. */}
        <style dangerouslySetInnerHTML={{ __html: style }} />
      </>
    }
  >
    {children}
  </Document>
);
