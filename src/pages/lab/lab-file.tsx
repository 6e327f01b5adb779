import script from "virtual:lab-script";
import { renderPage } from "../render.ts";
import { StandaloneDocument } from "../standalone-document.tsx";
import { Lab } from "./lab.tsx";

/** The lab as one HTML file, which needs no network. */
export const renderLabFile = (): string =>
  renderPage(
    <StandaloneDocument title="Signature lab" script={script}>
      <main>
        <Lab />
      </main>
    </StandaloneDocument>,
  );
