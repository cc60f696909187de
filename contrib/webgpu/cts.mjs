#!/usr/bin/env node
// Runs cases of a checkout of the WebGPU CTS below Dawn on gpucc's Vulkan driver (docs/vulkan.md).
//
//   node contrib/webgpu/cts.mjs --cts DIR --target gcn --query 'webgpu:api,operation,*' [--every 23] [--seconds 600] [--gpucc target/release/gpucc] [--oracle]
//
// The checkout is built: `npm ci && npx grunt run:build-out-node` in it. Dawn is the package `webgpu` of npm, in the folder that the command is called in.
// `--every N` takes each N-th case; after `--seconds` no further one begins. Without `--target` the driver is whichever the loader finds.
//
// Each case that does not pass has a line. The last line is `N passed, M failed, K skipped`; exit 1: something failed.

import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath, pathToFileURL } from 'node:url';

const flags = Object.fromEntries(process.argv.slice(2).join(' ').split(/(?:^| )--/).filter(Boolean).map((f) => [f.split(' ')[0], f.split(' ').slice(1).join(' ')]));
const own = fileURLToPath(import.meta.url);
const every = Number(flags.every ?? 1);
const seconds = Number(flags.seconds ?? Infinity);

/** What a module of the checkout exports under a name. */
async function of(file, name) {
  const m = await import(pathToFileURL(resolve(flags.cts, 'out-node', file)));
  return m[name] ?? m.default[name];
}

/** Runs cases from a number on and prints a line before and after each. */
async function work(first, left) {
  const require = createRequire(`${process.cwd()}/`);
  // Modules of the checkout were made for `require`.
  globalThis.require ??= require;
  const { create, globals } = require('webgpu');
  Object.assign(globalThis, globals);
  (await of('common/util/navigator_gpu.js', 'setGPUProvider'))(() => (globalThis.gpu ??= create([])));
  const [Loader, parse, Logger] = [
    await of('common/internal/file_loader.js', 'DefaultTestFileLoader'),
    await of('common/internal/query/parseQuery.js', 'parseQuery'),
    await of('common/internal/logging/logger.js', 'Logger'),
  ];
  const log = new Logger();
  const end = Date.now() + 1000 * left;
  let number = -1;
  for (const test of await new Loader().loadCases(parse(flags.query))) {
    if (++number % every !== 0 || number < first) continue;
    if (Date.now() > end) break;
    const name = test.query.toString();
    console.log(JSON.stringify({ number, name }));
    const [rec, res] = log.record(name);
    await test.run(rec);
    const why = (res.logs ?? []).map((l) => `${l.name ?? ''}: ${l.message ?? l}`).join(' | ');
    console.log(JSON.stringify({ number, name, status: res.status, why: why.replace(/\s+/g, ' ').slice(0, 400) }));
  }
  process.exit(0);
}

async function main() {
  if (!flags.cts || !flags.query) {
    console.error("cts.mjs: --cts DIR and --query 'webgpu:...' are needed");
    process.exit(2);
  }
  const oracle = flags.oracle === undefined ? [] : ['--oracle'];
  const exec = flags.target ? [flags.gpucc ?? 'gpucc', 'exec', '--target', flags.target, ...oracle, '--'] : [];
  const counts = { passed: 0, failed: 0, skipped: 0 };
  const words = { pass: 'passed', warn: 'passed', skip: 'skipped' };
  const end = Date.now() + 1000 * seconds;
  const say = (verdict, name, text) => {
    counts[verdict]++;
    if (verdict !== 'passed') console.log(`${verdict} ${name}: ${text}`);
  };
  for (let next = 0, done = false; !done; ) {
    const given = ['cts', 'query', 'every'].flatMap((f) => (flags[f] === undefined ? [] : [`--${f}`, flags[f]]));
    const left = Math.max(0, end - Date.now()) / 1000;
    const [program, ...rest] = [...exec, process.execPath, own, '--run', `${next} ${left === Infinity ? 1e9 : left}`, ...given];
    const child = spawn(program, rest, { stdio: ['ignore', 'pipe', 'inherit'] });
    const code = new Promise((over) => child.on('close', (c, signal) => over(c ?? signal)));
    let open = null;
    for await (const text of createInterface({ input: child.stdout })) {
      if (!text.startsWith('{"number"')) continue;
      const line = JSON.parse(text);
      next = line.number + 1;
      open = line.status === undefined ? line : null;
      if (line.status) say(words[line.status] ?? 'failed', line.name, line.why);
    }
    const why = await code;
    // A case may end the process: the next one begins in another.
    if (open) say('failed', open.name, `the process ended (${why})`);
    done = !open;
    if (done && why !== 0) say('failed', flags.query, `the process ended between cases (${why})`);
  }
  console.log(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
  process.exit(counts.failed || !counts.passed ? 1 : 0);
}

if (flags.run) await work(...flags.run.split(' ').map(Number));
else await main();
