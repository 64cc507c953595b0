import { versions } from 'node:process';

/** The `engines` field of package.json in a readable form. */
const supported = '^20.19.0 or >=22.12.0';

/** Returns why this library cannot run on that version of Node, or `undefined` if it can. */
export function unsupportedNode(version: string = versions.node): string | undefined {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const isSupported = (major === 20 && minor >= 19) || (major === 22 && minor >= 12) || major >= 23;
  if (isSupported) return undefined;
  return `@leadership/core does not run on Node ${version}; it needs Node ${supported}. Update Node.js`;
}
