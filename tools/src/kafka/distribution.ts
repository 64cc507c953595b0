// The command lines of Kafka's Java programs.
import { readdir } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { javaProgram } from '../backends/java.ts';

/** The Java class path and flags for brokers and Kafka's tools. */
export interface Distribution {
  /** The directory of the jars, and of what was made once of them. */
  readonly folder: string;
  readonly classPath: string;
  /** Flags for the Java virtual machine, in addition to those of `machine`. */
  readonly flags: readonly string[];
}

/**
 * Resolves with the jars in a directory. They are sorted, because a class archive requires the same
 * order as at its creation.
 */
export async function distributionIn(
  folder: string,
  ...flags: readonly string[]
): Promise<Distribution> {
  const jars = (await readdir(folder)).filter((name) => name.endsWith('.jar')).sort();
  return { folder, classPath: jars.map((name) => join(folder, name)).join(delimiter), flags };
}

/**
 * JVM flags for tests: a small heap, a fast start instead of fast execution, and only warnings and
 * errors in the log.
 */
const machine = [
  '-Xmx384m',
  '-XX:+UseSerialGC',
  '-XX:TieredStopAtLevel=1',
  '-Dorg.slf4j.simpleLogger.defaultLogLevel=warn',
];

/** Returns the command line of a Kafka program, as for `spawn`. */
export function command(
  { classPath, flags }: Distribution,
  ...program: readonly string[]
): [string, readonly string[]] {
  return [javaProgram('java'), [...machine, ...flags, '-cp', classPath, ...program]];
}
