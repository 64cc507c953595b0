// The Java programs that run brokers and emulators in tests.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

/**
 * Returns the path of a program in the Java installation that `JAVA_HOME` names, or its name for
 * the one on the path.
 */
export function javaProgram(name: 'java' | 'javac'): string {
  const home = process.env['JAVA_HOME'];
  return home ? join(home, 'bin', name) : name;
}

/** Resolves with the output of `java -version`, or `undefined` if Java is missing. */
export async function javaVersionOutput(): Promise<string | undefined> {
  try {
    return (await promisify(execFile)(javaProgram('java'), ['-version'])).stderr;
  } catch {
    return undefined;
  }
}

/**
 * Resolves with the reason why no Java of at least this version can be started, or `undefined` if
 * one can.
 */
export async function missingJava(least: number): Promise<string | undefined> {
  return shortcoming(await javaVersionOutput(), least);
}

/**
 * Returns the reason why the Java with this `java -version` output is not sufficient, or
 * `undefined` if it is.
 */
export function shortcoming(output: string | undefined, least: number): string | undefined {
  const wanted = `Java ${least} or newer`;
  if (output === undefined)
    return `Java is missing: install ${wanted}, on the path or with JAVA_HOME set`;
  const found = majorVersion(output);
  return found >= least
    ? undefined
    : `Java is version ${found}, but ${wanted} is needed: install it and set JAVA_HOME`;
}

/**
 * Returns the major version in the output of `java -version`: 17 for "17.0.15", 8 for "1.8.0_292",
 * or NaN without a version.
 */
function majorVersion(output: string): number {
  return Number(/version "(?:1\.)?(\d+)/.exec(output)?.[1]);
}
