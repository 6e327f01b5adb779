/** Files that are bundled as text (build/text-files.js). */
declare module "*?text" {
  const text: string;
  export default text;
}

/** Made by build/sandbox-library.js. */
declare module "virtual:sandbox-library" {
  interface Member {
    readonly name: string;
    readonly type: string;
    readonly summary: string;
  }
  const library: {
    readonly options: readonly Member[];
    readonly members: readonly (Member & { readonly members: readonly Member[] })[];
  };
  export default library;
}
