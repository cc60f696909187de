#!/usr/bin/env node
// Runs random WebGPU programs on gpucc's Vulkan driver and on SwiftShader, both below Dawn, and names what differs (docs/vulkan.md).
//
//   node contrib/webgpu/judge.mjs --target gcn --seeds 0..1000 --swiftshader vk_swiftshader_icd.json [--gpucc target/release/gpucc] [--oracle]
//   node contrib/webgpu/judge.mjs --show 17
//
// `--with deno,run,-A,--unstable-webgpu` runs the programs in Deno, whose wgpu takes chips that Dawn does not.
//
// The last line is `N passed, M failed, K skipped`; a program is skipped where a device lacks something. Exit 1: something failed.

import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { differ } from './formats.mjs';
import { Run, program } from './programs.mjs';

const flags = Object.fromEntries(process.argv.slice(2).join(' ').split(/(?:^| )--/).filter(Boolean).map((f) => [f.split(' ')[0], f.split(' ').slice(1).join(' ')]));
const own = fileURLToPath(import.meta.url);

/** Dawn, from the folder that the command is called in, or what a browser's runtime has. */
function webgpu() {
  if (globalThis.navigator?.gpu) return navigator.gpu;
  const { create, globals } = createRequire(`${process.cwd()}/`)('webgpu');
  Object.assign(globalThis, globals);
  // A device does not keep what it came from.
  return (globalThis.gpu = create([]));
}

async function device(gpu) {
  const adapter = await gpu.requestAdapter();
  if (!adapter) throw new Error('no adapter');
  globalThis.adapter = adapter;
  const d = await adapter.requestDevice();
  d.lost.then((why) => {
    if (why.reason === 'destroyed') return;
    console.log(JSON.stringify({ lost: why.message }));
    process.exit(3);
  });
  return d;
}

/** Runs programs and prints a line for each. */
async function work([first, end], log) {
  const d = await device(webgpu());
  for (let seed = first; seed < end; seed++) {
    const line = { seed, kind: program(seed).name };
    console.log(JSON.stringify({ begins: seed }));
    try {
      for (const filter of ['validation', 'internal', 'out-of-memory']) d.pushErrorScope(filter);
      const run = new Run(d, seed, log);
      await program(seed)(run);
      const out = await run.end();
      line.out = out.map(({ name, kind, steps, bytes }) => ({ name, kind, steps, bytes: Buffer.from(bytes).toString('base64') }));
    } catch (e) {
      line.error = String(e.message ?? e);
    }
    for (let k = 0; k < 3; k++) {
      const e = await d.popErrorScope();
      if (e) line.error = e.message;
    }
    console.log(JSON.stringify(line));
  }
  process.exit(0);
}

const runtime = flags.with?.split(',') ?? [process.execPath];

/** What a line says; nothing of one that was cut off, as the last one of a process that ends early may be. */
function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The lines of programs that another process runs; where it ends too early, it goes on behind the program that ended it. */
async function* lines(command, env, first, end) {
  let [next, twice] = [first, -1];
  while (next < end) {
    const [main, ...rest] = [...command, ...runtime, own, '--run', `${next}..${end}`];
    const child = spawn(main, rest, { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'inherit'] });
    let why = 'the process ended';
    for await (const text of createInterface({ input: child.stdout })) {
      if (!text.startsWith('{')) continue;
      const line = parsed(text);
      if (!line) break;
      if (line.lost) why = `the device was lost: ${line.lost}`;
      if (line.seed === undefined) continue;
      next = line.seed + 1;
      yield line;
    }
    const code = child.exitCode ?? child.signalCode ?? (await new Promise((done) => child.on('exit', (c, signal) => done(c ?? signal))));
    // A runtime may end by itself: what ends it twice is the program.
    if (next < end && twice !== next) twice = next;
    else if (next < end) yield { seed: next++, error: `${why} (${code})` };
  }
}

async function judge() {
  const [first, end] = flags.seeds.split('..').map(Number);
  const exec = [flags.gpucc ?? 'gpucc', 'exec', '--target', flags.target, ...(flags.oracle === undefined ? [] : ['--oracle']), '--'];
  const other = lines([], { VK_ICD_FILENAMES: flags.swiftshader }, first, end);
  const mine = lines(exec, {}, first, end);
  const counts = { passed: 0, failed: 0, skipped: 0 };
  const kinds = {};
  const say = (verdict, line, text) => {
    counts[verdict]++;
    const key = `${line.kind ?? '?'} ${verdict}`;
    kinds[key] = (kinds[key] ?? 0) + 1;
    if (verdict !== 'passed') console.log(`${verdict} ${line.seed} ${line.kind ?? ''}: ${text.split('\n').slice(0, 4).join(' | ')}`);
  };
  for await (const a of mine) {
    const b = (await other.next()).value;
    if (a.seed !== b.seed) throw new Error(`seeds ${a.seed} and ${b.seed}`);
    if (a.error && /not supported|not renderable|downlevel|NOT_PRESENT|FEATURE/i.test(a.error)) say('skipped', a, a.error);
    else if (b.error) say('skipped', b, `SwiftShader: ${b.error}`);
    else if (a.error) say('failed', a, a.error);
    else {
      const bad = a.out.map((o, k) => [o, b.out[k]]).map(([x, y]) => [x.name, differ(x.kind, Buffer.from(x.bytes, 'base64'), Buffer.from(y.bytes, 'base64'), x.steps)]).find((d) => d[1]);
      say(bad ? 'failed' : 'passed', a, bad ? `${bad[0]} ${bad[1]}` : '');
    }
  }
  console.log(Object.entries(kinds).sort().map(([k, n]) => `${k} ${n}`).join(', '));
  console.log(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
  process.exit(counts.failed ? 1 : 0);
}

if (flags.run) await work(flags.run.split('..').map(Number));
else if (flags.show) await work([Number(flags.show), Number(flags.show) + 1], (text) => console.log(text));
else await judge();
