// Runs the built files with V8's code cache, which saves a third of the start of a command. With module.enableCompileCache() of
// newer versions of Node, a command takes 5 to 20 ms more: it reads two files for each one here, and resolves each require().
const fs = require("node:fs");
const { homedir } = require("node:os");
const { dirname, join, resolve } = require("node:path");
const vm = require("node:vm");

const WRAPPER = ["(function (exports, require, module, __filename, __dirname) {", "\n})"];
const UNUSED_AFTER_MS = 7 * 24 * 60 * 60 * 1000;

/**
 * Returns a require() for the files of that folder, which require each other and modules of Node.
 *
 * @param {string} dist absolute path of the built files
 * @param {() => boolean} canCache whether what is compiled now is valid at the next start
 */
module.exports = function createLoader(dist, canCache) {
  const file = chooseFile(dist);
  const cache = openCache(file);
  /** @type {Map<string, { exports: any }>} */
  const modules = new Map();
  /** @type {Map<string, vm.Script>} */
  const compiled = new Map();
  if (file !== null) process.once("exit", () => save(file, compiled));

  /** @param {string} path absolute @returns {any} */
  return (path) => load(path).exports;

  /** @param {string} path */
  function load(path) {
    const loaded = modules.get(path);
    if (loaded) return loaded;
    const module = { exports: {} };
    modules.set(path, module);
    const directory = dirname(path);
    /** @param {string} id */
    const requireFrom = (id) => {
      const isOwn = id.startsWith(".");
      const key = isOwn ? `${directory}/${id}` : id;
      // The files of a command require each other a thousand times, which takes 5 ms without this.
      const known = modules.get(key);
      if (known) return known.exports;
      const found = isOwn ? load(join(directory, id)) : { exports: require(id) };
      modules.set(key, found);
      return found.exports;
    };
    const run = compile(path).runInThisContext();
    run.call(module.exports, module.exports, requireFrom, module, path, directory);
    return module;
  }

  /** @param {string} path */
  function compile(path) {
    const name = path.slice(dist.length);
    const script = new vm.Script(WRAPPER.join(fs.readFileSync(path, "utf8")), {
      filename: path,
      columnOffset: -WRAPPER[0].length,
      importModuleDynamically: vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
      cachedData: canCache() ? cache.read(name) : undefined,
    });
    if (script.cachedDataRejected !== false && canCache()) compiled.set(name, script);
    return script;
  }
};

/**
 * The file with the cache of this build on this version of Node. Null if there is no place for it: V8 executes the content,
 * so only the user may be able to write there.
 *
 * @param {string} dist
 */
function chooseFile(dist) {
  // Both are Node's variables for its own compile cache.
  const { NODE_COMPILE_CACHE, NODE_DISABLE_COMPILE_CACHE } = process.env;
  if (NODE_DISABLE_COMPILE_CACHE) return null;
  try {
    const folder = NODE_COMPILE_CACHE ? resolve(NODE_COMPILE_CACHE) : join(cacheFolder(), "compile-cache");
    const stats = fs.statSync(folder, { throwIfNoEntry: false });
    const uid = process.getuid?.();
    if (stats && uid !== undefined && (stats.uid !== uid || (stats.mode & 0o022) !== 0)) return null;
    const build = fs.readFileSync(join(dist, "build-id"), "utf8");
    return join(folder, `${build}-${process.version}-${process.arch}${nameFlags()}`);
  } catch {
    return null; // An unknown user, as in a container, has no home.
  }
}

/** V8 refuses code that was compiled under other flags. Its tag takes 1 ms to load, and most processes have no flags. */
function nameFlags() {
  const hasFlags = process.execArgv.length > 0 || Boolean(process.env.NODE_OPTIONS);
  return hasFlags ? `-${require("node:v8").cachedDataVersionTag()}` : "";
}

function cacheFolder() {
  const { CLAIMS_CONFIG_DIR, LOCALAPPDATA, XDG_CACHE_HOME } = process.env;
  if (CLAIMS_CONFIG_DIR) return resolve(CLAIMS_CONFIG_DIR, "cache");
  if (process.platform === "darwin") return join(homedir(), "Library", "Caches", "claims");
  if (process.platform === "win32")
    return join(LOCALAPPDATA || join(homedir(), "AppData", "Local"), "claims", "cache");
  return join(XDG_CACHE_HOME || join(homedir(), ".cache"), "claims");
}

/** At most this much of the file is its index, a line of JSON with names and lengths; the data follow it. */
const MAX_INDEX_BYTES = 64 << 10;

/**
 * Reads the index only: a sandbox has ten times as much code as a command needs. A damaged file is as none.
 *
 * @param {string | null} file
 * @returns {{ names: readonly string[], read: (name: string) => Buffer | undefined, close: () => void }}
 */
function openCache(file) {
  const source = file === null ? null : orNull(() => openFile(file));
  const places = source && orNull(() => readIndex(source));
  if (source === null || places === null) {
    source?.close();
    return { names: [], read: () => undefined, close: () => {} };
  }
  return {
    names: [...places.keys()],
    read(name) {
      const place = places.get(name);
      return (place && orNull(() => source.read(place.start, place.length))) ?? undefined;
    },
    close: source.close,
  };
}

/**
 * Where the data of each name are. Throws if the index does not fit the file.
 *
 * @param {ReturnType<typeof openFile>} source
 */
function readIndex({ size, read }) {
  const head = read(0, Math.min(size, MAX_INDEX_BYTES));
  let start = head.indexOf("\n") + 1;
  /** @type {[name: string, length: number][]} */
  const index = JSON.parse(head.toString("utf8", 0, start));
  const places = new Map();
  for (const [name, length] of index) {
    places.set(name, { start, length });
    start += length;
    if (!(length > 0) || start > size) throw new Error("the index does not fit the file");
  }
  return places;
}

/** @param {string} file */
function openFile(file) {
  // Windows does not replace a file that is open.
  if (process.platform === "win32") {
    const bytes = fs.readFileSync(file);
    const read = (/** @type {number} */ start, /** @type {number} */ length) =>
      bytes.subarray(start, start + length);
    return { size: bytes.length, read, close: () => {} };
  }
  const descriptor = fs.openSync(file, "r");
  return {
    size: fs.fstatSync(descriptor).size,
    /** @param {number} start @param {number} length */
    read(start, length) {
      const data = Buffer.allocUnsafeSlow(length);
      if (fs.readSync(descriptor, data, 0, length, start) < length) throw new Error("the file is too short");
      return data;
    },
    close: () => fs.closeSync(descriptor),
  };
}

/** @template T @param {() => T} work @returns {T | null} */
function orNull(work) {
  try {
    return work();
  } catch {
    return null;
  }
}

/**
 * At the end of the process, so that the cache has the functions that ran.
 *
 * @param {string} file @param {Map<string, vm.Script>} compiled
 */
function save(file, compiled) {
  if (compiled.size === 0) return;
  const draft = `${file}.${process.pid}`;
  // Where this fails, the next process compiles as this one did.
  orNull(() => {
    createFolder(dirname(file));
    // Another process may have saved since this one started.
    const { names, read, close } = openCache(file);
    const data = new Map(names.map((name) => [name, read(name)]));
    close();
    for (const [name, script] of compiled) data.set(name, script.createCachedData());
    const parts = [...data].flatMap(([name, part]) => (part ? [{ name, part }] : []));
    const index = JSON.stringify(parts.map(({ name, part }) => [name, part.length]));
    // V8 does not check the data. Without the flush, parts could be missing after a crash of the machine.
    fs.writeFileSync(draft, Buffer.concat([Buffer.from(`${index}\n`), ...parts.map(({ part }) => part)]), {
      mode: 0o600,
      flush: true,
    });
    fs.renameSync(draft, file);
    removeUnused(dirname(file));
  });
  orNull(() => fs.rmSync(draft, { force: true }));
}

/**
 * With `recursive`, Node loops forever in a folder that cannot have children, such as `/proc`.
 *
 * @param {string} folder
 */
function createFolder(folder) {
  if (fs.existsSync(folder)) return;
  createFolder(dirname(folder));
  fs.mkdirSync(folder, { mode: 0o700 });
}

/** @param {string} folder */
function removeUnused(folder) {
  for (const name of fs.readdirSync(folder)) {
    // The folder of NODE_COMPILE_CACHE has files of others too.
    if (!/^[0-9a-f]{16}-v/.test(name)) continue;
    const file = join(folder, name);
    const { atimeMs, mtimeMs } = fs.statSync(file);
    if (Date.now() - Math.max(atimeMs, mtimeMs) > UNUSED_AFTER_MS) fs.rmSync(file);
  }
}
