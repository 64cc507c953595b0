// The messages of a member to the guard of its host (`leadership guard`): one line of JSON when it
// connects, and one word before it closes. The guard answers nothing, so that nothing unread can
// turn the end of a connection into a reset.
import { readFileSync, readlinkSync } from 'node:fs';

/** The environment variable that names the socket of the guard. */
export const guardVariable = 'LEADERSHIP_GUARD';

/** The word before an orderly end of the connection (L14). The guard says it, too. */
export const goodbye = 'goodbye\n';

/** The first line over a connection. */
export interface GuardHello {
  readonly incarnation: string;
  readonly member: string;
  readonly group: string;
  /** How to open the same group. Absent if `problem` is set. */
  readonly url?: string;
  /** Why the guard cannot release for this member, as a sentence. */
  readonly problem?: string;
  /** The file name of the member's own socket, in the folder of the guard's socket. */
  readonly address: string;
  /** The process of the member, as the kernel names it. Absent where it is not known. */
  readonly process?: ProcessIdentity;
}

/** A process: its id, the namespace of that id, and when it started, in ticks of the kernel. */
export interface ProcessIdentity {
  readonly pid: number;
  readonly namespace: string;
  readonly startedAt: string;
}

/** The longest line that is read. Bytes. */
export const helloBytesMax = 16_384;

/** Returns the hello in a line, or `undefined` if it is none. */
export function parseHello(line: string): GuardHello | undefined {
  const data = fieldsIn(line);
  const { incarnation, member, group, address, url, problem } = data;
  if (!isText(incarnation) || !isText(member) || !isText(group) || !isText(address))
    return undefined;
  // A name with a slash would lead out of the folder that both sides share.
  if (address.includes('/')) return undefined;
  const process = identityIn(data['process']);
  return {
    incarnation,
    member,
    group,
    address,
    ...(isText(url) && { url }),
    ...(isText(problem) && { problem }),
    ...(process && { process }),
  };
}

/** Returns the identity of a process on Linux, or `undefined` where the kernel does not show it. */
export function identityOf(pid: number | 'self'): ProcessIdentity | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name of the program, in parentheses, may contain spaces and parentheses.
    const [state = '', ...rest] = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const startedAt = rest[18];
    // A process in these states has ended; only its exit code is left.
    if (startedAt === undefined || state === 'Z' || state === 'X') return undefined;
    const namespace = readlinkSync('/proc/self/ns/pid');
    return { pid: Number.parseInt(text, 10), namespace, startedAt };
  } catch {
    return undefined;
  }
}

function identityIn(data: unknown): ProcessIdentity | undefined {
  if (!isFields(data)) return undefined;
  const { pid, namespace, startedAt } = data;
  if (!Number.isSafeInteger(pid) || !isText(namespace) || !isText(startedAt)) return undefined;
  return { pid: Number(pid), namespace, startedAt };
}

type Fields = Readonly<Record<string, unknown>>;

function fieldsIn(line: string): Fields {
  try {
    const data: unknown = JSON.parse(line);
    return isFields(data) ? data : {};
  } catch {
    return {};
  }
}

function isFields(data: unknown): data is Fields {
  return typeof data === 'object' && data !== null && !Array.isArray(data);
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
