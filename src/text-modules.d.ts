/** Files that are bundled as text (build/text-files.js). */
declare module "*?text" {
  const text: string;
  export default text;
}
