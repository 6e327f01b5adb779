import { useSite } from "../site.ts";
import { Lab } from "./lab.tsx";

/** The lab as a page of the inspector. */
export function LabPage() {
  const { links } = useSite();
  return (
    <>
      <Lab />
      <script src={links.action("/assets/lab.js")} defer />
    </>
  );
}
