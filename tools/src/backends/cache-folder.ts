import { homedir } from 'node:os';
import { join } from 'node:path';

/** Where this user keeps what can be fetched again: outside `node_modules`, so that it outlives an install and serves every checkout. */
export function cacheFolder(): string {
  const own = process.platform === 'darwin' ? join(homedir(), 'Library', 'Caches') : join(homedir(), '.cache');
  return join(process.env['XDG_CACHE_HOME'] || own, 'leadership');
}
