// Rejects network file systems. Several hosts may share a directory on one, and their caches may
// show different states, so that two leaders could be elected. FUSE may be any file system (sshfs,
// GlusterFS, a shared folder of a desktop) and the kernel does not report which, so it is rejected
// too.
import { LeadershipError } from '@leadership/core';
import { disk } from '../disk/disk.ts';

/** The values of `f_type` in `statfs(2)` and the kernel's magic.h. Only Linux uses them. */
const names: ReadonlyMap<number, string> = new Map([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xfe534d42, 'SMB 2'],
  [0xff534d42, 'CIFS'],
  [0x564c, 'NCP'],
  [0x5346414f, 'AFS'],
  [0x6b414653, 'AFS'],
  [0x73757245, 'Coda'],
  [0x00c36400, 'Ceph'],
  [0x01021997, '9P'],
  [0x65735546, 'FUSE'],
  [0x0bd00bd0, 'Lustre'],
  [0x47504653, 'GPFS'],
  [0x01161970, 'GFS2'],
  [0x7461636f, 'OCFS2'],
  [0x19830326, 'BeeGFS'],
  [0x20030528, 'OrangeFS'],
  [0xaad7aaea, 'PanFS'],
  [0x786f4256, 'VirtualBox shared folders'],
  [0xbacbacbc, 'VMware shared folders'],
]);

/** Returns the name of the file system if its `f_type` shows that other hosts may share it. */
export function networkFileSystem(type: number): string | undefined {
  return names.get(type >>> 0);
}

/**
 * Checks the file system of a directory, at `place`: the directory itself, or the nearest one above
 * it that exists.
 * @throws LeadershipError `misconfigured-backend` if other hosts may share the file system
 */
export async function refuseNetwork(
  directory: string,
  place: string = directory,
  platform: string = process.platform,
): Promise<void> {
  if (platform !== 'linux') return;
  const name = networkFileSystem(await disk.fileSystem(place));
  if (name === undefined) return;
  const why = `it lies on a network file system (${name}), where each host could elect its own leader`;
  throw new LeadershipError(
    'misconfigured-backend',
    `${directory}: ${why}: use a directory on a local disk, or another backend`,
  );
}
