// The snippets of the documentation, as a reader uses them: compiled in the empty project into which
// the tarballs were installed, and then read by Node as plain JavaScript.
import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { pagesIn } from '../docs-pages/pages.ts';
import { compile, install } from './packages.ts';
import { surroundings } from './surroundings.ts';

const run = promisify(execFile);
const root = resolve(import.meta.dirname, '../../..');

/** A block of code of a page. */
export interface Snippet {
  /** The page and the number of the block in it, as a file name. */
  readonly name: string;
  readonly language: 'ts' | 'js';
  readonly code: string;
}

/** Returns all TypeScript and JavaScript of the pages. Blocks in lists lose their indentation. */
export function snippetsIn(): readonly Snippet[] {
  return pagesIn(root).flatMap(({ path, text }) =>
    [...text.matchAll(block)].map(([, indent = '', language = 'ts', code = ''], index) => ({
      name: `${path.replaceAll(/[^\w-]/g, '_')}_${index + 1}`,
      language: language === 'ts' ? 'ts' : 'js',
      code: code.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
    })),
  );
}

/** Returns the first program of the README. */
export function readmeExample(): string {
  const example = snippetsIn().find(({ name }) => name.startsWith('README_md'));
  if (example?.language !== 'js') throw new Error('the README does not begin with a program');
  return example.code;
}

const block = /^( *)```(ts|js|mjs)\n([\s\S]*?)^ *```/gm;

/**
 * Packages that the snippets import in addition to ours. Their versions are those of the lock file,
 * where it has them.
 */
const libraries = [
  ...['pg', '@types/pg', 'ioredis', 'kafkajs', '@platformatic/kafka', 'postgres'],
  ...['mysql2', '@nats-io/transport-node'],
  ...['express', '@types/express', 'fastify', 'pino', 'node-cron', 'reflect-metadata'],
  ...['@nestjs/common', '@nestjs/core', '@nestjs/schedule', '@nestjs/platform-express'],
  ...['@nestjs/terminus@12.1.0', '@nestjs/config@12.0.1', 'vitest'],
  ...['@opentelemetry/sdk-metrics', '@opentelemetry/exporter-prometheus'],
];

/** A reader who is strict. Printed code is not lowered: what Node cannot parse must fail there. */
const compilerOptions = {
  target: 'esnext',
  module: 'nodenext',
  moduleDetection: 'force',
  types: ['node'],
  strict: true,
  skipLibCheck: true,
  experimentalDecorators: true,
  emitDecoratorMetadata: true,
  rewriteRelativeImportExtensions: true,
  allowJs: true,
  outDir: 'dist',
  rootDir: '.',
};

/** Compiles the snippets in the project. Rejects with what the compiler says. */
export async function compileSnippets(project: string): Promise<void> {
  const folder = join(project, 'snippets');
  await mkdir(folder);
  await install(project, '--no-save', ...(await versioned(libraries)));
  // Some pages quote an example that imports another file of the examples.
  for (const name of ['src', 'test']) await copyExamples(join(root, 'examples', name), folder);
  for (const { name, language, code } of snippetsIn())
    await writeFile(join(folder, `${name}.${fileTypeOf(language, code)}`), inOneFolder(code));
  await writeFile(join(folder, 'surroundings.d.ts'), surroundings);
  await compile(folder, { compilerOptions, include: ['.'], exclude: ['dist'] });
}

/** Lets Node parse each snippet as JavaScript, and load every package that one imports. */
export async function readSnippets(node: string, project: string): Promise<void> {
  const snippets = snippetsIn();
  const imported = new Set<string>();
  for (const { code } of snippets)
    for (const [, specifier = ''] of code.matchAll(/^import .* from '([^.'][^']*)';$/gm))
      if (!/^import type/.test(code)) imported.add(specifier);
  const loading = [...imported].map((specifier) => `await import('${specifier}');`).join('\n');
  await writeFile(join(project, 'loading.mjs'), `${loading}\nprocess.exit();\n`);
  await run(node, ['loading.mjs'], { cwd: project });
  const wrong = await unreadable(
    node,
    project,
    snippets.map((snippet) => snippetFile(project, snippet)),
  );
  if (wrong.length > 0) throw new Error(`Node cannot read these snippets:\n${wrong.join('\n')}`);
}

/**
 * Prints the files that Node cannot parse, one a line. A process for each of them would take a
 * hundred times as long.
 */
const parser = `import { readFileSync } from 'node:fs';
import { compileFunction, SourceTextModule } from 'node:vm';
const scope = ['exports', 'require', 'module', '__filename', '__dirname'];
for (const path of process.argv.slice(2)) {
  const code = readFileSync(path, 'utf8');
  try {
    if (path.endsWith('.cjs')) compileFunction(code, scope);
    else new SourceTextModule(code);
  } catch {
    console.log(path);
  }
}
`;

/** Returns what Node says of each file that it cannot parse, with the line. */
async function unreadable(
  node: string,
  project: string,
  files: readonly string[],
): Promise<readonly string[]> {
  await writeFile(join(project, 'parsing.mjs'), parser);
  const options = ['--experimental-vm-modules', '--no-warnings', 'parsing.mjs'];
  const { stdout } = await run(node, [...options, ...files], { cwd: project });
  const wrong = stdout.split('\n').filter((path) => path !== '');
  return Promise.all(
    wrong.map((path) =>
      run(node, ['--check', path]).then(
        () => `${path}: it is not a program`,
        (error: { readonly stderr?: string }) => `${path}: ${error.stderr}`,
      ),
    ),
  );
}

/** Returns the program that Node runs: what the compiler has made of TypeScript, or what is printed. */
export function snippetFile(project: string, { name, language, code }: Snippet): string {
  const type = fileTypeOf(language, code);
  const folder = join(project, 'snippets');
  return type === 'ts' ? join(folder, 'dist', `${name}.js`) : join(folder, `${name}.${type}`);
}

/** Copies the examples in that folder, without tests. */
async function copyExamples(from: string, to: string): Promise<void> {
  for (const name of await readdir(from)) {
    if (!name.endsWith('.ts') || name.endsWith('.test.ts')) continue;
    await writeFile(join(to, name), inOneFolder(await readFile(join(from, name), 'utf8')));
  }
}

function inOneFolder(code: string): string {
  return code.replaceAll("'../src/", "'./");
}

function fileTypeOf(language: Snippet['language'], code: string): 'ts' | 'mjs' | 'cjs' {
  if (language === 'ts') return 'ts';
  return /\brequire\(|module\.exports/.test(code) ? 'cjs' : 'mjs';
}

async function versioned(names: readonly string[]): Promise<readonly string[]> {
  const lock = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, { readonly version: string }>>;
  };
  return names.map((name) => {
    const locked = lock.packages[`node_modules/${name}`];
    return locked === undefined ? name : `${name}@${locked.version}`;
  });
}
