// Opens a source from the URL and the options on a command line.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import {
  LeadershipError,
  type LeadershipSource,
  openLeadership,
  type SourceOptions,
} from '@leadership/core';
import { optionsVariable } from './environment/variables.ts';

/**
 * Opens a source for a command.
 *
 * @param url - the URL of the group
 * @param pairs - values of `--option`, each `name=value`; they are added to the query of the URL
 * @param own - the options that the command sets itself
 * @throws LeadershipError `invalid-options` or `unknown-backend`
 */
export async function openSource(
  url: string,
  pairs: readonly string[],
  own: SourceOptions,
): Promise<LeadershipSource> {
  if (/^memory:/i.test(url))
    throw new LeadershipError(
      'invalid-options',
      'a memory: group lives in one process, and no other process can see it; use the URL of another backend',
    );
  const options = { load: loadPackage, ...optionsIn(process.env), ...own };
  return await openLeadership(withQuery(url, pairs), options);
}

/** Adds `name=value` pairs to the query of a leadership URL. */
export function withQuery(url: string, pairs: readonly string[]): string {
  const added = pairs.map((pair) => {
    const [name = '', ...value] = pair.split('=');
    if (name === '' || value.length === 0)
      throw new LeadershipError('invalid-options', `--option ${pair} must be written NAME=VALUE`);
    return `${encodeURIComponent(name)}=${encodeURIComponent(value.join('='))}`;
  });
  if (added.length === 0) return url;
  return `${url}${url.includes('?') ? '&' : '?'}${added.join('&')}`;
}

/**
 * Returns a numeric option of the command line or of the environment, or `undefined` if neither
 * sets it.
 */
export function numericOption(
  url: string,
  pairs: readonly string[],
  name: 'partitions' | 'thresholdMs' | 'thresholdMsMax' | 'drainTimeoutMs',
): number | undefined {
  const query = withQuery(url, pairs).split('?').slice(1).join('?');
  const text = new URLSearchParams(query).get(name);
  return text === null ? optionsIn(process.env)[name] : Number(text);
}

/** The default T of the library. Milliseconds. */
const usualThresholdMs = 3000;

/** Returns the T of a group as this command would open it. Milliseconds. */
export function thresholdMsOf(url: string, pairs: readonly string[]): number {
  return numericOption(url, pairs, 'thresholdMs') ?? usualThresholdMs;
}

/** Reads the options in the environment: secrets must not appear in the list of processes. */
export function optionsIn(env: NodeJS.ProcessEnv): SourceOptions {
  const text = env[optionsVariable];
  if (text === undefined || text === '') return {};
  const options = parsed(text);
  if (typeof options === 'object' && options !== null && !Array.isArray(options)) return options;
  throw new LeadershipError(
    'invalid-options',
    // The text may contain secrets, so the message does not quote it.
    `${optionsVariable} must be a JSON object of options, such as {"user":"billing","password":"…"}`,
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Imports the package of a backend: one that is installed beside this command, or one of the
 * project in the working directory, because `npx` installs the command in a directory of its own.
 */
async function loadPackage(specifier: string): Promise<unknown> {
  try {
    return await import(specifier);
  } catch (error) {
    const project = createRequire(join(process.cwd(), 'package.json'));
    const path = resolved(project, specifier);
    if (path === undefined) throw error;
    return await import(pathToFileURL(path).href);
  }
}

function resolved(project: NodeJS.Require, specifier: string): string | undefined {
  try {
    return project.resolve(specifier);
  } catch {
    return undefined;
  }
}
