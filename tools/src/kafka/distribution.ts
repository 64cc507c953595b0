import { readdir } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { javaProgram } from '../backends/java.ts';

/** What brokers and Kafka's tools are run from. */
export interface Distribution {
  readonly classPath: string;
  /** For the Java machine, beside those that every program of Kafka gets here. */
  readonly flags: readonly string[];
}

/** The jars in a folder. In an order of their own, which an archive of classes has to find again. */
export async function distributionIn(folder: string, ...flags: readonly string[]): Promise<Distribution> {
  const jars = (await readdir(folder)).filter((name) => name.endsWith('.jar')).sort();
  return { classPath: jars.map((name) => join(folder, name)).join(delimiter), flags };
}

/** A heap that is enough for tests, a machine that starts fast instead of running fast, and no word but of what goes wrong. */
const machine = ['-Xmx384m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', '-Dorg.slf4j.simpleLogger.defaultLogLevel=warn'];

/** How a program of Kafka is run: for `spawn` and its like. */
export function command({ classPath, flags }: Distribution, ...program: readonly string[]): [string, readonly string[]] {
  return [javaProgram('java'), [...machine, ...flags, '-cp', classPath, ...program]];
}
