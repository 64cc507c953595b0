// A directory on a network file system may be shared by several hosts, whose caches show each of them another present:
// what is refused here would elect two leaders there. FUSE may be anything (sshfs, GlusterFS, a desktop's shared folder)
// and the kernel does not say what, so it is refused too.
import { LeadershipError } from '@leadership/core';
import { disk } from './disk.ts';

/** `f_type` as `statfs(2)` and the kernel's magic.h have it. Only Linux numbers file systems so. */
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

/** The name of a file system whose `f_type` says that other hosts may share it. */
export function networkFileSystem(type: number): string | undefined {
  return names.get(type >>> 0);
}

/**
 * Looks where the directory lies.
 * @throws LeadershipError `misconfigured-backend` on a file system that other hosts may share
 */
export async function refuseNetwork(directory: string, platform: string = process.platform): Promise<void> {
  if (platform !== 'linux') return;
  const name = networkFileSystem(await disk.fileSystem(directory));
  if (name === undefined) return;
  const why = `it lies on a network file system (${name}), where several hosts would each see their own leader`;
  throw new LeadershipError('misconfigured-backend', `${directory}: ${why}: use a directory on a local disk, or another backend`);
}
