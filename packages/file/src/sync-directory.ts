import { disk } from './disk.ts';
import { unless } from './errors.ts';

/** Systems that cannot sync a directory say so in many ways; there the names are as durable as they get. */
const cannot: readonly string[] = ['EISDIR', 'EPERM', 'EACCES', 'EINVAL', 'EBADF', 'ENOTSUP', 'ENOENT'];

/** The names in the directory are on the disk for good once this resolves, where the system can promise that. */
export async function syncDirectory(path: string): Promise<void> {
  await unless(cannot, disk.sync(path));
}
