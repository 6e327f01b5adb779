// An exception of the build (architecture.md, "The build"): Koa and form-data bring three copies of mime-db, 430 kB that
// every sandbox parses at its start. The reduced table saves about 25 of 260 ms until the sandbox is ready.

/** The media types of the API and its form parts. */
const MEDIA_TYPES =
  /^(application\/(json|problem\+json|x-ndjson|octet-stream|x-www-form-urlencoded)|multipart\/form-data|text\/(csv|plain|html))$/;

/** @type {import("rolldown").Plugin} */
export const mediaTypesOfApi = {
  name: "media-types-of-api",
  transform: {
    filter: { id: /mime-db[/\\]db\.json$/ },
    handler: (text) =>
      JSON.stringify(
        Object.fromEntries(Object.entries(JSON.parse(text)).filter(([type]) => MEDIA_TYPES.test(type))),
      ),
  },
};
