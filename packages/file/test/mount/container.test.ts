import { eventually, recordingHost } from '@leadership/testkit/adapter';
import { expect, it } from 'vitest';
import { containerWarning, isPrivateToContainer } from '../../src/mount/container.ts';
import { fileRows } from '../../src/rows/rows.ts';
import { tempDirectory } from '../support/temp-directory.ts';

const overlay =
  '712 620 0:61 / / rw,relatime master:300 - overlay overlay rw,lowerdir=/x/l/A:/x/l/B,upperdir=/x/diff,workdir=/x/work';
const disk = '27 1 254:0 / / rw,relatime - ext4 /dev/vda rw';
const subvolume = '27 1 0:25 /btrfs/subvolumes/5f1c / rw,relatime - btrfs /dev/vda rw';
const proc = '713 712 0:63 / /proc rw,nosuid - proc proc rw';
const volume = '720 712 254:0 /srv/shared /var/lib/app rw,relatime - ext4 /dev/vda rw';
const spaced = '721 712 254:0 /srv/shared /mnt/my\\040data rw,relatime shared:7 - ext4 /dev/vda rw';
const engine =
  '712 620 0:61 / / rw - overlay overlay rw,lowerdir=/var/lib/containerd/snapshots/1/fs';
const mounts = (...lines: readonly string[]) => `${lines.join('\n')}\n`;
const none = { groups: '0::/\n', marks: [] };
const docker = { groups: '0::/\n', marks: ['/.dockerenv'] };

it.each([
  ['in an image, marked by a file', '/var/lib/app', mounts(overlay, proc), docker, true],
  ['beside a volume', '/var/lib/application', mounts(overlay, proc, volume), docker, true],
  [
    'in an image that the control group identifies',
    '/data',
    mounts(overlay),
    { ...none, groups: '9:pids:/kubepods/burstable/pod1/c\n' },
    true,
  ],
  ['in an image that its mount identifies', '/data', mounts(engine), none, true],
  ['in an image that is a subvolume', '/data', mounts(subvolume), docker, true],
  ['with a second mount over the root', '/data', mounts(disk, overlay), docker, true],
  ['a volume', '/var/lib/app', mounts(overlay, proc, volume), docker, false],
  ['in a volume', '/var/lib/app/store', mounts(overlay, proc, volume), docker, false],
  [
    'in a volume with a space in its name',
    '/mnt/my data/store',
    mounts(overlay, spaced),
    docker,
    false,
  ],
  ['on a host', '/var/lib/app', mounts(disk, proc), none, false],
  ['on a host with a layered root', '/var/lib/app', mounts(overlay), none, false],
  ['in a virtual machine from an image', '/data', mounts(disk), docker, false],
  ['without known mounts', '/data', '', docker, false],
])(
  'detects whether a directory belongs to a container: %s',
  (_, directory, text, { groups, marks }, isOwn) => {
    expect(isPrivateToContainer(directory, { mounts: text, groups, marks })).toBe(isOwn);
  },
);

it('does not warn if mounts cannot be listed or the directory does not exist', async () => {
  expect(await containerWarning('/', 'darwin')).toBeUndefined();
  expect(await containerWarning('/there/is/none', 'linux')).toBeUndefined();
});

it('is reported once to the host, with the directory', async () => {
  await using home = await tempDirectory();
  const host = recordingHost('m');
  const warningOf = async (directory: string) => `${directory}: it belongs to this container`;
  const options = { directory: home.path, group: 'g', thresholdMs: 1000, thresholdMsMax: 5000 };
  const rows = fileRows({ ...options, warningOf }, host);
  for (let start = 0; start < 2; start += 1) await rows.open?.(new AbortController().signal, true);
  await eventually('the warning is reported', () => host.calls.length > 0);
  await rows.close();
  expect(host.calls).toEqual([
    `warning misconfigured-backend: ${home.path}/g: it belongs to this container`,
  ]);
});
