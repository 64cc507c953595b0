// A FUSE server that keeps files in memory and records each change, in order, before it is
// answered: one line of JSON with the moment, the call and its arguments, as the testkit's
// CrashDisk takes them. It runs in a process of its own, because access to the mount blocks until
// the server answers. The layouts are those of linux/fuse.h, version 7.
import { execFileSync } from 'node:child_process';
import { open } from 'node:fs/promises';

const [mount] = process.argv.slice(2);
const opcodes = {
  lookup: 1,
  forget: 2,
  getattr: 3,
  setattr: 4,
  mkdir: 9,
  unlink: 10,
  rmdir: 11,
  rename: 12,
  link: 13,
  open: 14,
  read: 15,
  write: 16,
  statfs: 17,
  release: 18,
  fsync: 20,
  flush: 25,
  init: 26,
  opendir: 27,
  readdir: 28,
  releasedir: 29,
  fsyncdir: 30,
  create: 35,
  interrupt: 36,
  batchForget: 42,
  rename2: 45,
};
const unanswered = [opcodes.forget, opcodes.interrupt, opcodes.batchForget];
const [enoent, eexist, enosys] = [-2, -17, -38];
const headerBytes = 40;
const replyHeaderBytes = 16;
/** The kernel requires a buffer of this size, and more for long writes. */
const requestBytesMax = 256 * 1024;

let last = 0;
const nodes = new Map();
const newNode = (children) => {
  last += 1;
  const node = { id: last, children, data: Buffer.alloc(0) };
  nodes.set(last, node);
  return node;
};
const root = newNode(new Map());

/** Returns the path of a node; its first name if it has several. */
function pathOf(node, folder = root, path = mount) {
  if (node === root) return mount;
  for (const [name, child] of folder.children) {
    const found =
      child === node ? `${path}/${name}` : child.children && pathOf(node, child, `${path}/${name}`);
    if (found) return found;
  }
  return undefined;
}

function record(name, ...args) {
  process.stdout.write(
    `${JSON.stringify({ atNs: String(process.hrtime.bigint()), name, args })}\n`,
  );
}

/** A file that has no name is lost in a power failure, whatever is written to it. */
function recordText(node) {
  const path = pathOf(node);
  if (path) record('write', path, node.data.toString(), { durable: false });
}

function recordSync(node) {
  const path = pathOf(node);
  if (path) record('sync', path);
}

function numbers(bytes, ...at) {
  const buffer = Buffer.alloc(bytes);
  for (const [offset, number] of at) buffer.writeUInt32LE(number, offset);
  return buffer;
}

function attributes({ id, children, data }) {
  const mode = children ? 0o40777 : 0o100666;
  return numbers(88, [0, id], [8, data.length], [60, mode], [64, children ? 2 : 1], [80, 4096]);
}

const attrOut = (node) => Buffer.concat([numbers(16), attributes(node)]);
const entryOut = (node) => Buffer.concat([numbers(40, [0, node.id]), attributes(node)]);
/** Direct I/O: reads return the server's data. */
const openOut = (node) => numbers(16, [0, node.id], [8, 1]);
const done = Buffer.alloc(0);

const namesIn = (bytes) => bytes.toString().split('\0');
const number = (bytes, at) => Number(bytes.readBigUInt64LE(at));

function made(folder, name, children) {
  if (folder.children.has(name)) return eexist;
  const node = newNode(children);
  folder.children.set(name, node);
  return node;
}

function removed(folder, name) {
  if (!folder.children.has(name)) return enoent;
  record('rm', `${pathOf(folder)}/${name}`);
  folder.children.delete(name);
  return done;
}

function renamed(folder, target, [from, to]) {
  const node = folder.children.get(from);
  if (node === undefined) return enoent;
  record('rename', `${pathOf(folder)}/${from}`, `${pathOf(target)}/${to}`);
  folder.children.delete(from);
  target.children.set(to, node);
  return done;
}

function listed(folder, offset) {
  const names = ['.', '..', ...folder.children.keys()].slice(offset);
  return Buffer.concat(
    names.map((name, index) => {
      const text = Buffer.from(name);
      const entry = numbers(
        24 + 8 * Math.ceil(text.length / 8),
        [0, 1],
        [8, offset + index + 1],
        [16, text.length],
      );
      text.copy(entry, 24);
      return entry;
    }),
  );
}

function written(node, offset, bytes) {
  const data = Buffer.alloc(Math.max(node.data.length, offset + bytes.length));
  node.data.copy(data);
  bytes.copy(data, offset);
  node.data = data;
  recordText(node);
  return numbers(8, [0, bytes.length]);
}

function resized(node, body) {
  const setsSize = (body.readUInt32LE(0) & 8) !== 0;
  if (!setsSize) return;
  const size = number(body, 16);
  node.data = Buffer.concat([
    node.data.subarray(0, size),
    Buffer.alloc(Math.max(0, size - node.data.length)),
  ]);
  recordText(node);
}

/** Each returns the body of the answer, or an error. */
const answers = {
  [opcodes.init]: () => numbers(64, [0, 7], [4, 31], [20, 128 * 1024]),
  [opcodes.statfs]: () =>
    numbers(80, [0, 1e6], [8, 1e6], [16, 1e6], [40, 4096], [44, 255], [48, 4096]),
  [opcodes.getattr]: (node) => attrOut(node),
  [opcodes.setattr](node, body) {
    resized(node, body);
    return attrOut(node);
  },
  [opcodes.lookup](node, body) {
    const child = node.children.get(namesIn(body)[0]);
    return child ? entryOut(child) : enoent;
  },
  [opcodes.mkdir](node, body) {
    const [name] = namesIn(body.subarray(8));
    const child = made(node, name, new Map());
    if (child === eexist) return child;
    record('mkdir', pathOf(child));
    return entryOut(child);
  },
  [opcodes.create](node, body) {
    const [name] = namesIn(body.subarray(16));
    const child = made(node, name, undefined);
    if (child === eexist) return child;
    recordText(child);
    return Buffer.concat([entryOut(child), openOut(child)]);
  },
  [opcodes.unlink]: (node, body) => removed(node, namesIn(body)[0]),
  [opcodes.rmdir]: (node, body) => removed(node, namesIn(body)[0]),
  [opcodes.rename]: (node, body) =>
    renamed(node, nodes.get(number(body, 0)), namesIn(body.subarray(8))),
  [opcodes.rename2]: (node, body) =>
    renamed(node, nodes.get(number(body, 0)), namesIn(body.subarray(16))),
  [opcodes.link](node, body) {
    const from = nodes.get(number(body, 0));
    const [name] = namesIn(body.subarray(8));
    if (node.children.has(name)) return eexist;
    record('link', pathOf(from), `${pathOf(node)}/${name}`);
    node.children.set(name, from);
    return entryOut(from);
  },
  [opcodes.open]: (node) => openOut(node),
  [opcodes.opendir]: (node) => openOut(node),
  [opcodes.read]: (node, body) =>
    node.data.subarray(number(body, 8), number(body, 8) + body.readUInt32LE(16)),
  [opcodes.readdir]: (node, body) => listed(node, number(body, 8)),
  [opcodes.write]: (node, body) =>
    written(node, number(body, 8), body.subarray(40, 40 + body.readUInt32LE(16))),
  [opcodes.fsync](node) {
    recordSync(node);
    return done;
  },
  [opcodes.fsyncdir](node) {
    recordSync(node);
    return done;
  },
  [opcodes.flush]: () => done,
  [opcodes.release]: () => done,
  [opcodes.releasedir]: () => done,
};

function replyTo(request) {
  const answer =
    answers[request.readUInt32LE(4)]?.(
      nodes.get(number(request, 16)) ?? root,
      request.subarray(headerBytes),
    ) ?? enosys;
  const [error, body] = typeof answer === 'number' ? [answer, done] : [0, answer];
  const header = numbers(replyHeaderBytes, [0, replyHeaderBytes + body.length]);
  header.writeInt32LE(error, 4);
  request.copy(header, 8, 8, 16);
  return Buffer.concat([header, body]);
}

/** The kernel answers reads of an unmounted device with ENODEV. */
function unmounted(error) {
  process.exit(error.code === 'ENODEV' ? 0 : 1);
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
  mount,
];
execFileSync('mount', options, { stdio: ['ignore', 'ignore', 'ignore', device.fd] });
process.stdout.write('mounted\n');
for (const request = Buffer.alloc(requestBytesMax); ; ) {
  const { bytesRead } = await device.read(request, 0, request.length, null).catch(unmounted);
  // A copy: what is written is kept.
  const asked = Buffer.from(request.subarray(0, bytesRead));
  if (!unanswered.includes(asked.readUInt32LE(4))) await device.write(replyTo(asked));
}
