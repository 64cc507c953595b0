// Makes a created or removed name survive a power loss.
import { unless } from '../errors.ts';
import { disk } from './disk.ts';

/**
 * The codes with which systems refuse to sync a directory. There, names are as durable as they can
 * be.
 */
const cannot: readonly string[] = [
  'EISDIR',
  'EPERM',
  'EACCES',
  'EINVAL',
  'EBADF',
  'ENOTSUP',
  'ENOENT',
];

/** Makes the names in a directory durable on the disk, if the system supports that. */
export async function syncDirectory(path: string): Promise<void> {
  await unless(cannot, disk.sync(path));
}
