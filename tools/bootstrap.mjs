// Every root verb comes through here, so that each works from a fresh clone with Node alone. It installs what is missing, builds what is stale and
// then becomes the command asked for. Plain JavaScript on node: builtins, because it runs before anything is installed; what it does on the way is
// told on stderr, so that stdout belongs to the verb. Two at a time take turns: installing and building hold a lock.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, linkSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { join, resolve } from 'node:path';
import process from 'node:process';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const root = resolve(fileURLToPath(import.meta.url), '../..');
const at = (path) => join(root, path);
const [verb, ...args] = process.argv.slice(2);

// ── The verbs ──

const verbs = {
  start: () => main('tools/dist/demo/main.js'),
  test: () => prepared(() => tool('vitest', ['run', ...args])),
  'test:containers': () => prepared(() => tool('vitest', ['run', '--project', 'process', ...inContainers, ...args], { env: containers })),
  check: () => check(),
  build: () => prepared(() => 0),
  bench: () => main('bench/dist/main.js'),
  simulate: () => main('tools/dist/simulate/main.js', roomy),
  soak: () => prepared(() => tool('vitest', ['run', '--project', 'soak', ...args], { env: { SOAK: '1' } })),
  docs: () => installed(() => tool('turbo', ['run', 'docs:build', ...args], { stdio: toStderr })),
  api: () => prepared(() => tool('turbo', ['run', 'api', ...args], { stdio: toStderr })),
  format: () => installed(() => tool('biome', ['check', '--write', ...args])),
};

/** What can run on backends in containers, to which nothing can be done. One that cannot be started is a failure, as it was asked for. */
const inContainers = [
  'tools/test/backends/containers',
  'packages/kafka/test/conformance.process',
  'packages/kinesis/test/conformance.process',
];
const containers = { BACKENDS_BY: 'containers', REQUIRE_BACKENDS: 'containers,kafka,kinesis' };

/** What `check` asks of the house, besides that it builds. Two at a time: the machine it was measured on has two cores. */
const steps = [
  ['types of the tests', 'tsc', '-p', 'tsconfig.test.json'],
  ['lint, format, arrows', 'biome', 'check', '--error-on-warnings'],
  ['nothing unused', 'knip'],
  ['shape of the packages', 'turbo', 'run', 'shape'],
  ['reports of the public surface', 'turbo', 'run', 'api:check'],
  ['reference documentation', 'turbo', 'run', 'docs:build'],
];

async function check() {
  const code = await locked(install);
  if (code !== 0) return code;
  const passed = [await step('build, types of the sources', () => locked(() => captured('turbo', ['run', 'build'])))];
  const queue = [...steps];
  const lane = async () => {
    for (let next = queue.shift(); next; next = queue.shift()) {
      const [name, command, ...rest] = next;
      passed.push(await step(name, () => captured(command, rest)));
    }
  };
  await Promise.all([lane(), lane()]);
  const good = passed.filter(Boolean).length;
  console.log(`check: ${good} of ${passed.length} steps passed`);
  return good === passed.length ? 0 : 1;
}

async function step(name, work) {
  const began = performance.now();
  const { code, output } = await work();
  console.log(`${code === 0 ? 'ok    ' : 'FAILED'}  ${name} (${((performance.now() - began) / 1000).toFixed(1)} s)`);
  if (code !== 0) console.log(output.trimEnd());
  return code === 0;
}

// ── Getting ready ──

const installed = async (then) => (await locked(install)) || then();
const prepared = async (then) => (await locked(async () => (await install()) || build())) || then();

/** For simulated worlds: nearly all that they make dies young, and where the young have little room much of it is moved about first. MB. */
const roomy = ['--min-semi-space-size=64', '--max-semi-space-size=64'];

/** Runs a program of this repository once it is built. */
const main = (path, options = []) =>
  prepared(() =>
    existsSync(at(path)) ? run(process.execPath, [...options, at(path), ...args]) : fail(`${path} was not built: has it a source yet?`),
  );

async function install() {
  const stamp = at('node_modules/.leadership');
  const wanted = createHash('sha256')
    .update(readFileSync(at('package-lock.json')))
    .update(`${process.platform}-${process.arch}`)
    .digest('hex');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return 0;
  const fresh = !existsSync(at('node_modules'));
  say(fresh ? 'installing the toolchain (npm ci): half a minute or so, once …' : 'the lockfile changed: npm install, a few seconds …');
  // The level is given by name because `npm run --silent` would silence a failing install as well.
  const npm = process.env.npm_execpath ? [process.execPath, process.env.npm_execpath] : ['npm'];
  const code = await run(npm[0], [...npm.slice(1), fresh ? 'ci' : 'install', '--loglevel=error'], { stdio: toStderr });
  if (code === 0) writeFileSync(stamp, wanted);
  return code;
}

async function build() {
  if (verb === 'build') return tool('turbo', ['run', 'build', ...args], { stdio: toStderr });
  if (!existsSync(at('tools/dist'))) say('building the packages: some 20 seconds, cached from then on …');
  const { code, output } = await captured('turbo', ['run', 'build']);
  if (code !== 0) process.stderr.write(output);
  return code;
}

/** Runs `work` while no other bootstrap of this checkout installs or builds. */
async function locked(work) {
  const lock = at('.bootstrap/lock');
  mkdirSync(at('.bootstrap'), { recursive: true });
  for (let told = false; !acquired(lock); told = true) {
    if (!told) say('another command is preparing this checkout: waiting for it …');
    await pause(100);
  }
  try {
    return await work();
  } finally {
    rmSync(lock, { force: true });
  }
}

/** Linking into place is the whole lock: it fails if the name exists, and the name never exists without its holder's process id. */
function acquired(lock) {
  const mine = `${lock}.${process.pid}`;
  writeFileSync(mine, String(process.pid));
  try {
    linkSync(mine, lock);
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
    if (abandoned(lock)) renameSync(lock, mine);
    return false;
  } finally {
    rmSync(mine, { force: true });
  }
}

/** The holder is gone, or its process id has long been somebody else's: no install or build takes a quarter of an hour. */
function abandoned(lock) {
  try {
    if (Date.now() - statSync(lock).mtimeMs > 900_000) return true;
    process.kill(Number(readFileSync(lock, 'utf8')), 0);
    return false;
  } catch (error) {
    return error.code === 'ESRCH';
  }
}

// ── Running others ──

const toStderr = ['inherit', process.stderr, 'inherit'];
const quietly = { TURBO_TELEMETRY_DISABLED: '1', TURBO_NO_UPDATE_NOTIFIER: '1', DO_NOT_TRACK: '1' };
const children = new Set();

/** The JavaScript file behind a command of an installed package: no shell, so arguments and signals arrive as they were sent. */
const tools = {
  biome: 'node_modules/@biomejs/biome/bin/biome',
  knip: 'node_modules/knip/bin/knip.js',
  tsc: 'node_modules/typescript/bin/tsc',
  turbo: 'node_modules/turbo/bin/turbo',
  vitest: 'node_modules/vitest/vitest.mjs',
};

const tool = (name, rest, options) => run(process.execPath, [at(tools[name]), ...rest], options);

async function captured(name, rest) {
  const chunks = [];
  const env = process.stdout.isTTY ? { FORCE_COLOR: '1' } : {};
  const code = await tool(name, rest, { stdio: ['ignore', 'pipe', 'pipe'], env, heard: (chunk) => chunks.push(chunk) });
  return { code, output: Buffer.concat(chunks).toString() };
}

/** Resolves with the exit code, 128 + n after signal n as shells have it. */
function run(command, rest, { stdio = 'inherit', env = {}, heard } = {}) {
  return new Promise((settle) => {
    const child = spawn(command, rest, { cwd: root, stdio, env: { ...process.env, ...quietly, ...env } });
    children.add(child);
    child.stdout?.on('data', heard);
    child.stderr?.on('data', heard);
    child.once('error', (error) => settle(fail(`${command}: ${error.message}`)));
    child.once('close', (code, signal) => {
      children.delete(child);
      settle(code ?? 128 + constants.signals[signal]);
    });
  });
}

function passOn(signal) {
  if (children.size === 0) process.exit(128 + constants.signals[signal]);
  for (const child of children) child.kill(signal);
}

process.on('SIGTERM', passOn);
process.on('SIGHUP', passOn);
// Control-C on a terminal reaches the whole foreground group by itself: a second one would cut short an orderly end.
process.on('SIGINT', (signal) => (process.stdin.isTTY && children.size > 0) || passOn(signal));
// npm hands a signal to the shell between us, which dies of it and tells nobody: its death is the news.
const parent = process.ppid;
if (process.env.npm_lifecycle_event) setInterval(() => process.ppid !== parent && passOn('SIGTERM'), 250).unref();

function say(sentence) {
  process.stderr.write(`leadership: ${sentence}\n`);
}

function fail(sentence) {
  say(sentence);
  return 1;
}

const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) process.exit(fail(`Node ${process.versions.node} is too old: 20.19 or newer, please.`));
if (!Object.hasOwn(verbs, verb)) process.exit(fail(`no such verb: ${verb}. There are ${Object.keys(verbs).join(', ')}.`));
process.exitCode = await verbs[verb]();
