import { link, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { eventually } from '@leadership/testkit/adapter';
import { describe, expect, it } from 'vitest';
import { probeLinks } from '../src/disk/probe-links.ts';
import { scratchAt } from '../src/disk/scratch.ts';
import { fileLeadership } from '../src/index.ts';
import { networkFileSystem } from '../src/mount/network-file-system.ts';
import { fuseMount } from './support/fuse-mount.ts';
import { mounted, remount } from './support/mounted.ts';
import { openReader, Reader } from './support/reader.ts';
import { tempDirectory } from './support/temp-directory.ts';

const unmountable = 'this machine does not permit mounts: full and read-only disks are not tested';

describe('a directory that cannot be a store', () => {
  it('is refused if a file or a dangling link has its name', async () => {
    await using home = await tempDirectory();
    await writeFile(`${home.path}/file`, 'x');
    await symlink(`${home.path}/nowhere`, `${home.path}/link`);
    for (const directory of ['file', 'file/below', 'link', 'link/below'].map(
      (path) => `${home.path}/${path}`,
    )) {
      await using one = new Reader(directory, {});
      await expect(one.open()).rejects.toMatchObject({
        code: 'misconfigured-backend',
        message: expect.stringContaining(`${home.path}/`),
      });
    }
  });

  it('is refused without hard links', async () => {
    await using home = await tempDirectory();
    const scratch = scratchAt(home.path);
    for (const code of ['EPERM', 'ENOTSUP', 'EXDEV']) {
      const without = () => Promise.reject(Object.assign(new Error(code), { code }));
      await expect(probeLinks(scratch, home.path, without)).rejects.toMatchObject({
        code: 'misconfigured-backend',
      });
    }
    await probeLinks(scratch, home.path, link);
    expect(await readdir(home.path)).toEqual([]);
  });

  it('is refused on a network file system, even if its number is negative', () => {
    expect(networkFileSystem(0x6969)).toBe('NFS');
    expect(networkFileSystem(0xff534d42)).toBe('CIFS');
    expect(networkFileSystem(0xff534d42 | 0)).toBe('CIFS');
    expect(networkFileSystem(0x65735546)).toBe('FUSE');
    for (const local of [0xef53, 0x01021994, 0x58465342, 0x9123683e, 0x794c7630])
      expect(networkFileSystem(local)).toBeUndefined();
  });

  it('is refused on a network file system that the kernel reports', async (context) => {
    await using home = await tempDirectory();
    const path = `${home.path}/mount`;
    await using mount = await fuseMount(path);
    if (mount === undefined)
      return context.skip(
        'this machine does not permit FUSE mounts: a network file system is not tested',
      );
    await using source = fileLeadership({ directory: path, group: 'g' });
    await expect(source.ready()).rejects.toMatchObject({
      code: 'misconfigured-backend',
      message: expect.stringMatching(/mount\/g: it lies on a network file system \(FUSE\)/),
    });
    await using observer = new Reader(path, { mayCreate: false });
    await expect(observer.open()).rejects.toMatchObject({ code: 'misconfigured-backend' });
  });

  it('is refused if it is read-only, but can be observed, at once or when it exists', async (context) => {
    await using home = await tempDirectory();
    const path = `${home.path}/mount`;
    using disk = mounted(path, 'size=1m');
    if (disk === undefined) return context.skip(unmountable);
    {
      await using writer = await openReader(path);
      await writer.exchange();
      await writer.change('a', null, '1');
    }
    await remount(path, 'ro');
    for (const group of ['g', 'another']) {
      await using writer = new Reader(path, { group });
      await expect(writer.open()).rejects.toMatchObject({
        code: 'unauthorized',
        message: expect.stringMatching(/mount.*read-only/),
      });
    }
    await using observer = await openReader(path, { mayCreate: false });
    expect((await observer.exchange()).rows).toEqual([['a', '1']]);
    await using early = await openReader(path, { mayCreate: false, group: 'not yet' });
    expect((await early.exchange()).rows).toEqual([]);
  });
});

describe('a full disk', () => {
  it('fails writes as unreachable, leaves no temporary file, and recovers', async (context) => {
    await using home = await tempDirectory();
    const path = `${home.path}/mount`;
    using disk = mounted(path, 'size=256k');
    if (disk === undefined) return context.skip(unmountable);
    await using one = await openReader(path);
    await one.exchange();
    expect(await one.change('a', null, '0')).toBe(true);
    await expect(writeFile(`${path}/ballast`, Buffer.alloc(1 << 20))).rejects.toMatchObject({
      code: 'ENOSPC',
    });
    await expect(one.change('a', '0', '1')).rejects.toMatchObject({
      code: 'unreachable',
      message: expect.stringContaining('full'),
    });
    expect(await readdir(one.layout.scratch)).toEqual([]);
    await rm(`${path}/ballast`);
    await eventually('a change is made again', () => one.change('a', '0', '1'));
    expect((await one.exchange()).rows).toEqual([['a', '1']]);
  });
});
