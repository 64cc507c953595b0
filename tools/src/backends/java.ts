import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** A program of the Java installation that `JAVA_HOME` names, or else of the one on the path. */
export function javaProgram(name: 'java' | 'keytool'): string {
  const home = process.env['JAVA_HOME'];
  return home ? join(home, 'bin', name) : name;
}

/** What `java -version` says. Undefined where there is no Java. */
export async function javaSays(): Promise<string | undefined> {
  try {
    return (await promisify(execFile)(javaProgram('java'), ['-version'])).stderr;
  } catch {
    return undefined;
  }
}

/** Why no Java of at least that version can be started; undefined where one can. */
export async function missingJava(least: number): Promise<string | undefined> {
  return shortcoming(await javaSays(), least);
}

/** Why the Java that said this will not do; undefined where it will. */
export function shortcoming(said: string | undefined, least: number): string | undefined {
  const wanted = `Java ${least} or newer`;
  if (said === undefined) return `Java is missing: install ${wanted}, on the path or with JAVA_HOME set`;
  const found = majorVersion(said);
  return found >= least ? undefined : `Java is version ${found}, and ${wanted} is needed: install one, and let JAVA_HOME name it`;
}

/** The major version in what `java -version` says: 17 of "17.0.15", and 8 of "1.8.0_292". NaN where it says none. */
function majorVersion(said: string): number {
  return Number(/version "(?:1\.)?(\d+)/.exec(said)?.[1]);
}
