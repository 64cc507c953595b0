// Where tests keep what they download once: jars, npm packages, built servers.
import { homedir } from 'node:os';
import { join } from 'node:path';

/**
 * Returns the cache directory of this user. It is outside `node_modules`, so that it survives an
 * install and serves every checkout.
 */
export function cacheDirectory(): string {
  const own =
    process.platform === 'darwin'
      ? join(homedir(), 'Library', 'Caches')
      : join(homedir(), '.cache');
  return join(process.env['XDG_CACHE_HOME'] || own, 'leadership');
}
