import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** A program of the Java installation that `JAVA_HOME` names, or else of the one on the path. */
export function javaProgram(name: 'java' | 'keytool'): string {
  const home = process.env['JAVA_HOME'];
  return home ? join(home, 'bin', name) : name;
}

/** Why no Java of at least that version can be started; undefined where one can. */
export async function missingJava(least: number): Promise<string | undefined> {
  const wanted = `Java ${least} or newer`;
  try {
    const { stderr } = await promisify(execFile)(javaProgram('java'), ['-version']);
    const found = majorVersion(stderr);
    return found >= least ? undefined : `Java is version ${found}, and ${wanted} is needed: install one, and let JAVA_HOME name it`;
  } catch {
    return `Java is missing: install ${wanted}, on the path or with JAVA_HOME set`;
  }
}

/** The major version in what `java -version` says: 17 of "17.0.15", and 8 of "1.8.0_292". NaN where it says none. */
export function majorVersion(said: string): number {
  return Number(/version "(?:1\.)?(\d+)/.exec(said)?.[1]);
}
