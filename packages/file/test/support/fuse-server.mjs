// A minimal FUSE server that only serves an empty directory. The kernel reports the file system as
// FUSE, which is what the test needs. It runs in a separate process, because access to the mount
// blocks until the server answers. The layouts are those of linux/fuse.h, version 7.
import { execFileSync } from 'node:child_process';
import { open } from 'node:fs/promises';

const [path] = process.argv.slice(2);
const opcodes = {
  lookup: 1,
  forget: 2,
  getattr: 3,
  statfs: 17,
  init: 26,
  interrupt: 36,
  batchForget: 42,
};
const unanswered = [opcodes.forget, opcodes.interrupt, opcodes.batchForget];
const enosys = -38;
const replyHeaderBytes = 16;
/** The kernel requires a buffer of this size. */
const requestBytesMax = 64 * 1024;

function numbers(bytes, ...at) {
  const buffer = Buffer.alloc(bytes);
  for (const [offset, number] of at) buffer.writeUInt32LE(number, offset);
  return buffer;
}

/** The attributes of a directory with all permissions for all users. */
const directory = numbers(88, [0, 2], [60, 0o40777], [64, 2], [80, 4096]);

const bodies = {
  [opcodes.init]: numbers(64, [0, 7], [4, 31], [20, 4096]),
  [opcodes.lookup]: Buffer.concat([numbers(40, [0, 2]), directory]),
  [opcodes.getattr]: Buffer.concat([numbers(16), directory]),
  [opcodes.statfs]: numbers(80, [40, 4096], [44, 255], [48, 4096]),
};

function replyTo(request) {
  const body = bodies[request.readUInt32LE(4)];
  const header = numbers(replyHeaderBytes, [0, replyHeaderBytes + (body?.length ?? 0)]);
  header.writeInt32LE(body ? 0 : enosys, 4);
  request.copy(header, 8, 8, 16);
  return body ? Buffer.concat([header, body]) : header;
}

// The parent process has ended.
process.stdin.on('end', () => process.exit()).resume();
const device = await open('/dev/fuse', 'r+');
const options = [
  '-i',
  '-t',
  'fuse',
  '-o',
  'fd=3,rootmode=40000,user_id=0,group_id=0',
  'none',
  path,
];
execFileSync('mount', options, { stdio: ['ignore', 'ignore', 'ignore', device.fd] });
process.stdout.write('mounted\n');
for (const request = Buffer.alloc(requestBytesMax); ; ) {
  const { bytesRead } = await device.read(request, 0, request.length, null);
  if (!unanswered.includes(request.readUInt32LE(4)))
    await device.write(replyTo(request.subarray(0, bytesRead)));
}
