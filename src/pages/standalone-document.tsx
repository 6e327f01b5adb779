import { createHash } from "node:crypto";
import { Document, type DocumentProps } from "./layout.tsx";
import { STYLESHEET } from "./stylesheet.ts";

const hashOf = (text: string): string => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

const POLICY = `default-src 'none'; style-src ${hashOf(STYLESHEET)}; form-action 'none'; base-uri 'none'`;

/** A document that needs no network and may load nothing: its policy allows only the text that is in it. */
export const StandaloneDocument = (props: Omit<DocumentProps, "head">) => (
  <Document
    {...props}
    head={
      <>
        <meta http-equiv="Content-Security-Policy" content={POLICY} />
        {/* Our own stylesheet: its quotes must stay. */}
        <style dangerouslySetInnerHTML={{ __html: STYLESHEET }} />
      </>
    }
  />
);
