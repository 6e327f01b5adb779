// node run.mjs: each contradiction must fail at least one documented fact of the checker, and nothing must fail without one
import { spawnSync } from 'node:child_process'; import { readFileSync } from 'node:fs'; import { fileURLToPath } from 'node:url';
const check = fileURLToPath(new URL('../check.mjs', import.meta.url)), list = JSON.parse(readFileSync(new URL('list.json', import.meta.url))); let bad = 0;
for (const x of [{ n: 0, service: 'harborline', what: '(none)' }, ...list]) {
  const r = spawnSync('node', [check, x.service, '--json'], { env: { ...process.env, CONTRADICT: String(x.n) }, encoding: 'utf8' });
  let facts; try { facts = JSON.parse(r.stdout).results.filter(y => !y.ok && (x.n === 0 || y.part === 'fact')); } catch { facts = null; }
  const ok = facts && (x.n === 0 ? facts.length === 0 : facts.length > 0); if (!ok) bad++;
  console.log(ok ? 'ok  ' : 'FAIL', x.n, x.what, '->', facts ? facts.map(f => f.id).join('; ') || 'nothing fails' : r.stderr.slice(0, 200)); }
process.exitCode = bad ? 7 : 0;
