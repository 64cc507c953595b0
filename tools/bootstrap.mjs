// Runs every npm script of the root, so that each works in a fresh clone with nothing but Node. It
// installs missing dependencies, builds changed packages, and then runs the requested command. It
// is plain JavaScript on node: builtins, because it runs before anything is installed. It reports
// its progress on stderr, so that stdout contains only the output of the command. Installing and
// building hold a lock, so that concurrent commands wait for each other.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { constants } from 'node:os';
import { join, resolve } from 'node:path';
import process from 'node:process';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const root = resolve(fileURLToPath(import.meta.url), '../..');
const at = (path) => join(root, path);
const [verb, ...args] = process.argv.slice(2);

// ── Commands ──

const verbs = {
  start: () => main('tools/dist/demo/main.js', internals),
  test: () => prepared(() => tool('vitest', ['run', ...quick(), ...args])),
  'test:all': () => prepared(() => tool('vitest', ['run', ...args])),
  'test:containers': () =>
    prepared(() =>
      tool('vitest', ['run', ...serverProjects, ...inContainers, ...args], { env: containers }),
    ),
  check: () => check(),
  build: () => prepared(() => 0),
  bench: () => main('bench/dist/main.js', internals),
  simulate: () => main('simulation/dist/cli/main.js', [...internals, ...roomy]),
  prove: () => main('tools/dist/prove/main.js'),
  soak: () =>
    prepared(() => tool('vitest', ['run', '--project', 'soak', ...args], { env: { SOAK: '1' } })),
  docs: () =>
    prepared(
      async () =>
        (await run(process.execPath, [at('tools/dist/docs-pages/main.js')])) ||
        tool('turbo', ['run', 'docs:build', ...args], { stdio: toStderr }),
    ),
  'release:check': () => main('tools/dist/release/main.js'),
  api: () => main('tools/dist/api-reports/main.js'),
  format: () => installed(() => tool('biome', ['check', '--write', ...args])),
};

/**
 * What a contributor needs in five minutes. A request for certain files or projects is answered
 * from all tests.
 */
const quick = () =>
  args.some((argument) => !argument.startsWith('-'))
    ? []
    : ['--project', 'unit*', '--project', 'promises'];

const inContainer = ['kafka', 'kinesis', 'postgres', 'mysql', 'redis', 'etcd'];
/**
 * The tests that can run on backends in containers, into which no faults can be injected. A
 * container that cannot start is a failure, because the command requests containers explicitly.
 */
const inContainers = [
  'tools/test/backends/containers',
  ...inContainer.flatMap((name) => [
    `packages/${name}/test/promises.process`,
    `packages/${name}/test/conformance.process`,
  ]),
];
const serverProjects = ['--project', 'promises', '--project', 'process*'];
const required = ['containers', ...inContainer].join();
const containers = { BACKENDS_BY: 'containers', REQUIRE_BACKENDS: required };

/**
 * The steps of `check` after the build. Two run at a time, which suits a machine with two cores. The
 * site comes first: a test builds it too, and `.ci/run` starts the tests of servers once it is built.
 */
const steps = [
  ['site: reference, links', 'turbo', 'run', 'docs:build'],
  ['types of the tests', 'tsc', '-p', 'tsconfig.test.json'],
  ['counted costs', 'counts'],
  ['lint, format', 'biome', 'check', '--error-on-warnings'],
  ['import rules', 'arrows'],
  ['unused files, exports and dependencies', 'knip'],
  ['contents of the packages', 'shape'],
  ['reports of the public API', 'api', '--check'],
];

async function check() {
  const code = await locked(install);
  if (code !== 0) return code;
  const isBuilt = await step('build, types of the sources', () => locked(compiled));
  const passed = [isBuilt];
  // These steps read what was built, and turbo would keep its result under the new sources.
  const queue = steps.filter(
    ([, command]) => isBuilt || !['turbo', 'counts', 'arrows', 'api', 'shape'].includes(command),
  );
  const lane = async () => {
    for (let next = queue.shift(); next; next = queue.shift()) {
      const [name, command, ...rest] = next;
      passed.push(await step(name, () => captured(command, rest)));
    }
  };
  await Promise.all([lane(), lane()]);
  const good = passed.filter(Boolean).length;
  const all = steps.length + 1;
  console.log(`check: ${good} of ${all} steps passed`);
  return good === all ? 0 : 1;
}

/** Compiles the sources, and bundles what is published: other steps read both. */
async function compiled() {
  const made = await captured('tsc', ['-b']);
  return made.code === 0 ? captured('bundle', []) : made;
}

async function step(name, work) {
  const began = performance.now();
  const { code, output } = await work();
  console.log(
    `${code === 0 ? 'ok    ' : 'FAILED'}  ${name} (${((performance.now() - began) / 1000).toFixed(1)} s)`,
  );
  if (code !== 0) console.log(output.trimEnd());
  return code === 0;
}

// ── Preparation ──

const installed = async (then) => (await locked(install)) || then();
const prepared = async (then) => (await locked(async () => (await install()) || build())) || then();

/**
 * Semi-space sizes for simulations, in MB. Nearly all their objects are short-lived; a small young
 * generation would copy many of them first.
 */
const roomy = ['--min-semi-space-size=64', '--max-semi-space-size=64'];

/** Resolves the entry points that no user of the packages can import (decision 0059). */
const internals = ['--conditions=@leadership/internal'];

/** Builds the repository, then runs one of its programs. */
const main = (path, options = []) =>
  prepared(() =>
    existsSync(at(path))
      ? run(process.execPath, [...options, at(path), ...args])
      : fail(`the build did not create ${path}: check that its source exists`),
  );

async function install() {
  const stamp = at('node_modules/.leadership');
  const wanted = createHash('sha256')
    .update(readFileSync(at('package-lock.json')))
    .update(`${process.platform}-${process.arch}`)
    .digest('hex');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return 0;
  const fresh = !existsSync(at('node_modules'));
  say(
    fresh
      ? 'installing the toolchain once (npm ci): about a minute …'
      : 'the lockfile changed: npm install, a few seconds …',
  );
  // The log level is explicit, because `npm run --silent` would otherwise hide the errors of a
  // failing install.
  const npm = process.env.npm_execpath ? [process.execPath, process.env.npm_execpath] : ['npm'];
  const code = await run(npm[0], [...npm.slice(1), fresh ? 'ci' : 'install', '--loglevel=error'], {
    stdio: toStderr,
  });
  if (code === 0) writeFileSync(stamp, wanted);
  return code;
}

async function build() {
  if (!existsSync(at('tools/dist')))
    say('building the packages: about a minute, seconds afterwards …');
  if (verb === 'build')
    return (
      (await tool('tsc', ['-b', ...args], { stdio: toStderr })) ||
      tool('bundle', [], { stdio: toStderr })
    );
  const { code, output } = await compiled();
  if (code !== 0) process.stderr.write(output);
  return code;
}

/** Runs `work` while no other command installs or builds in this checkout. */
async function locked(work) {
  const lock = at('.bootstrap/lock');
  mkdirSync(at('.bootstrap'), { recursive: true });
  for (let isReported = false; !acquired(lock); isReported = true) {
    if (!isReported) say('waiting for another command that prepares this checkout …');
    await pause(100);
  }
  try {
    return await work();
  } finally {
    rmSync(lock, { force: true });
  }
}

/**
 * Tries to acquire the lock by linking a file to its name. This fails if the name exists, and the
 * file always contains the holder's process id.
 */
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

/**
 * Returns whether the holder of the lock has ended. A lock older than a quarter of an hour counts
 * as abandoned, because no install or build takes that long and another process may have the
 * holder's id by then.
 */
function abandoned(lock) {
  try {
    if (Date.now() - statSync(lock).mtimeMs > 900_000) return true;
    process.kill(Number(readFileSync(lock, 'utf8')), 0);
    return false;
  } catch (error) {
    return error.code === 'ESRCH';
  }
}

// ── Child processes ──

const toStderr = ['inherit', process.stderr, 'inherit'];
const quietly = { TURBO_TELEMETRY_DISABLED: '1', TURBO_NO_UPDATE_NOTIFIER: '1', DO_NOT_TRACK: '1' };
const children = new Set();

/**
 * The JavaScript files of the commands. They run without a shell, so that arguments and signals
 * arrive unchanged.
 */
const tools = {
  api: 'tools/dist/api-reports/main.js',
  biome: 'node_modules/@biomejs/biome/bin/biome',
  counts: 'bench/dist/counts/main.js',
  arrows: 'tools/dist/arrows/main.js',
  bundle: 'tools/dist/bundle/main.js',
  knip: 'node_modules/knip/bin/knip.js',
  shape: 'tools/dist/shape/main.js',
  tsc: 'node_modules/@typescript/native/bin/tsc',
  turbo: 'node_modules/turbo/bin/turbo',
  vitest: 'node_modules/vitest/vitest.mjs',
};

const tool = (name, rest, options) => run(process.execPath, [at(tools[name]), ...rest], options);

async function captured(name, rest) {
  const chunks = [];
  const env = process.stdout.isTTY ? { FORCE_COLOR: '1' } : {};
  const code = await tool(name, rest, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env,
    onOutput: (chunk) => chunks.push(chunk),
  });
  return { code, output: Buffer.concat(chunks).toString() };
}

/** Runs a command. Resolves with its exit code; after signal n with 128 + n, as in a shell. */
function run(command, rest, { stdio = 'inherit', env = {}, onOutput } = {}) {
  return new Promise((settle) => {
    const child = spawn(command, rest, {
      cwd: root,
      stdio,
      env: { ...process.env, ...quietly, ...env },
    });
    children.add(child);
    child.stdout?.on('data', onOutput);
    child.stderr?.on('data', onOutput);
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
// On a terminal, Ctrl-C already sends SIGINT to the whole foreground group. A second SIGINT would
// interrupt an orderly end.
process.on('SIGINT', (signal) => (process.stdin.isTTY && children.size > 0) || passOn(signal));
// npm sends signals to the shell between npm and this process. The shell ends without forwarding
// them, so a change of the parent process is the only indication.
const parent = process.ppid;
if (process.env.npm_lifecycle_event)
  setInterval(() => process.ppid !== parent && passOn('SIGTERM'), 250).unref();

function say(sentence) {
  process.stderr.write(`leadership: ${sentence}\n`);
}

function fail(sentence) {
  say(sentence);
  return 1;
}

const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19))
  process.exit(fail(`Node ${process.versions.node} is too old. Install Node 20.19 or newer.`));
if (!Object.hasOwn(verbs, verb))
  process.exit(fail(`unknown command: ${verb}. Known commands: ${Object.keys(verbs).join(', ')}.`));
process.exitCode = await verbs[verb]();
