// The versions of Node on which `npm run release:check` tries the packages, and where it gets them.
import { join } from 'node:path';
import { npmPackage } from './npm-package.ts';

/** The oldest version of Node that is supported, and the newest ones that were tried. */
export const nodeVersions = ['20.19.0', '20.20.2', '22.23.3', '24.21.0'] as const;

/** Resolves with the path of a Node program, from the package of this platform. */
export async function nodeProgram(version: (typeof nodeVersions)[number]): Promise<string> {
  const platform = process.platform === 'win32' ? 'win' : process.platform;
  return join(await npmPackage(`node-${platform}-${process.arch}`, version), 'bin/node');
}
