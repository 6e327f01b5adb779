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
      const key = id.startsWith(".") ? `${directory}/${id}` : id;
      // The files of a command require each other a thousand times, which takes 5 ms without this.
      const found = modules.get(key) ?? (key === id ? { exports: require(id) } : load(join(directory, id)));
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
      cachedData: cache.read(name),
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
  // Node has both variables.
  const { NODE_COMPILE_CACHE, NODE_DISABLE_COMPILE_CACHE } = process.env;
  if (NODE_DISABLE_COMPILE_CACHE) return null;
  try {
    const folder = NODE_COMPILE_CACHE ? resolve(NODE_COMPILE_CACHE) : join(cacheFolder(), "compile-cache");
    const stats = fs.statSync(folder, { throwIfNoEntry: false });
    const uid = process.getuid?.();
    if (stats && uid !== undefined && (stats.uid !== uid || (stats.mode & 0o077) !== 0)) return null;
    const build = fs.readFileSync(join(dist, "build-id"), "utf8");
    return join(folder, `${build}-${process.version}-${process.arch}`);
  } catch {
    return null; // An unknown user, as in a container, has no home.
  }
}

function cacheFolder() {
  const { CLAIMS_CONFIG_DIR, LOCALAPPDATA, XDG_CACHE_HOME } = process.env;
  if (CLAIMS_CONFIG_DIR) return resolve(CLAIMS_CONFIG_DIR, "cache");
  if (process.platform === "darwin") return join(homedir(), "Library", "Caches", "claims");
  if (process.platform === "win32")
    return join(LOCALAPPDATA || join(homedir(), "AppData", "Local"), "claims", "cache");
  return join(XDG_CACHE_HOME || join(homedir(), ".cache"), "claims");
}

/** A line of JSON with names and lengths is at the start of the file; the data follow. */
const MAX_HEAD_BYTES = 64 << 10;

/**
 * Opens the cache, of which a command needs a part: a sandbox has ten times as much code.
 *
 * @param {string | null} file
 * @returns {{ names: readonly string[], read: (name: string) => Buffer | undefined }}
 */
function openCache(file) {
  try {
    const descriptor = fs.openSync(file ?? "", "r");
    const head = Buffer.allocUnsafe(MAX_HEAD_BYTES);
    const text = head.toString("utf8", 0, fs.readSync(descriptor, head, 0, MAX_HEAD_BYTES, 0));
    let offset = text.indexOf("\n") + 1;
    const places = new Map(
      JSON.parse(text.slice(0, offset)).map((/** @type {[string, number]} */ [name, length]) => {
        offset += length;
        return [name, { offset: offset - length, length }];
      }),
    );
    return {
      names: [...places.keys()],
      read(name) {
        const { offset: start, length } = places.get(name) ?? { offset: 0, length: 0 };
        const data = Buffer.allocUnsafeSlow(length);
        const isWhole = length > 0 && fs.readSync(descriptor, data, 0, length, start) === length;
        return isWhole ? data : undefined;
      },
    };
  } catch {
    return { names: [], read: () => undefined };
  }
}

/**
 * At the end of the process, so that the cache has the functions that ran.
 *
 * @param {string} file @param {Map<string, vm.Script>} compiled
 */
function save(file, compiled) {
  if (compiled.size === 0) return;
  try {
    const folder = dirname(file);
    createFolder(folder);
    // With what others have saved meanwhile.
    const { names, read } = openCache(file);
    const data = new Map(names.map((name) => [name, read(name)]));
    for (const [name, script] of compiled) data.set(name, script.createCachedData());
    const parts = [...data].flatMap(([name, part]) => (part ? [{ name, part }] : []));
    const head = JSON.stringify(parts.map(({ name, part }) => [name, part.length]));
    const draft = `${file}.${process.pid}`;
    // V8 does not check the data. Without the flush, parts could be missing after a crash of the machine.
    fs.writeFileSync(draft, Buffer.concat([Buffer.from(`${head}\n`), ...parts.map(({ part }) => part)]), {
      mode: 0o600,
      flush: true,
    });
    fs.renameSync(draft, file);
    removeUnused(folder);
  } catch {
    // The next process compiles as this one did.
  }
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
    if (!/^[0-9a-f]{16}(?:-v|$)/.test(name)) continue;
    const file = join(folder, name);
    if (Date.now() - fs.statSync(file).mtimeMs > UNUSED_AFTER_MS) fs.rmSync(file);
  }
}
