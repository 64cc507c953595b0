// The texts of rows, by docs/reference/session-lease.md: an independent reading, which shares no code
// with the machine.

/** A session as its row shows it. */
export interface SessionText {
  readonly kind: 'live' | 'dead' | 'absent';
  readonly version: number;
  /** 0 if the text does not say it. */
  readonly thresholdMs: number;
  readonly wants: readonly number[];
  /** Without a limit: infinite. */
  readonly partitionsMax: number;
  readonly isProved: boolean;
}

/** A partition as its row shows it. */
export interface PartitionText {
  /** `none`: no session has owned it in this life; `free`: it was released to no session. */
  readonly kind: 'missing' | 'none' | 'owned' | 'free';
  readonly isRelease: boolean;
  readonly life: string;
  readonly version: number;
  readonly session: string | undefined;
  /** The version of the session on which the record rests. */
  readonly seen: number;
  readonly token: bigint;
  /** Whether it lacks its sum, so that no member has written it (M5). */
  readonly isByHand: boolean;
}

type Fields = Readonly<Record<string, unknown>>;

/** What is read at most: characters of a text, and of a life or a name of a session in it; a version. */
const textMax = 65_536;
const idMax = 4096;
const versionMax = 2 ** 52;

/** Returns the fields of a text. One that cannot be parsed has none. */
export function fieldsOf(text: string): Fields {
  if (text.length > textMax) return {};
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Fields) : {};
  } catch {
    return {};
  }
}

/** The number of texts whose contents are remembered. */
const parsedMax = 256;

/** Parses each text once, though several members read it, and each of them more than once. */
function parsedOnce<Parsed extends object>(parse: (text: string) => Parsed) {
  let [latest, before] = [new Map<string, Parsed>(), new Map<string, Parsed>()];
  return (text: string): Parsed => {
    const known = latest.get(text) ?? before.get(text);
    if (known !== undefined) return known;
    const parsed = parse(text);
    if (latest.size >= parsedMax) [latest, before] = [new Map(), latest];
    latest.set(text, parsed);
    return parsed;
  };
}

const noSession: Omit<SessionText, 'kind' | 'version'> = {
  thresholdMs: 0,
  wants: [],
  partitionsMax: Number.POSITIVE_INFINITY,
  isProved: false,
};
const absent: SessionText = { ...noSession, kind: 'absent', version: -1 };

/** Only two kinds of a session are dead, with their sum: an unknown one is alive. */
export function sessionText(text: string | null): SessionText {
  return text === null ? absent : parsedSession(text);
}

const parsedSession = parsedOnce((text): SessionText => {
  const { kind, version, thresholdMs, wants, partitionsMax, isProved } = fieldsOf(text);
  const isDead = (kind === 'ended' || kind === 'deposed') && isSummed(text);
  return {
    kind: isDead ? 'dead' : 'live',
    version: isVersion(version) && (isDead || leavesVersion(version)) ? version : 0,
    thresholdMs: numberOr(thresholdMs, 0),
    wants: Array.isArray(wants) ? (wants as number[]) : [],
    partitionsMax: numberOr(partitionsMax, Number.POSITIVE_INFINITY),
    isProved: isProved === true,
  };
});

/** The field `session` names the owner, whatever the kind is. */
export function partitionText(text: string | null): PartitionText {
  return text === null ? { ...unread, kind: 'missing' } : parsedPartition(text);
}

const parsedPartition = parsedOnce((text): PartitionText => {
  const fields = fieldsOf(text);
  if (!isReadable(fields)) return { ...unread, kind: 'none' };
  const { kind, life, version, session, seen, token } = fields;
  const isRelease = kind === 'release';
  const owner = kind !== 'none' && isId(session) ? session : undefined;
  return {
    kind: heldAs(owner, isRelease),
    isRelease,
    life: String(life),
    version: Number(version),
    session: owner,
    seen: isVersion(seen) ? seen : -1,
    token: kind === 'none' ? 0n : BigInt(String(token)),
    isByHand: kind !== 'none' && !isSummed(text),
  };
});

function heldAs(owner: string | undefined, isRelease: boolean): PartitionText['kind'] {
  if (owner !== undefined) return 'owned';
  return isRelease ? 'free' : 'none';
}

const unread: Omit<PartitionText, 'kind'> = {
  isRelease: false,
  life: '',
  version: 0,
  session: undefined,
  seen: -1,
  token: 0n,
  isByHand: false,
};

function isReadable({ kind, life, version, session, token }: Fields): boolean {
  if (!isId(life) || !isVersion(version)) return false;
  if (kind === 'none') return true;
  const isOwned = isId(session) || (kind === 'release' && session === undefined);
  return isOwned && /^\d{1,19}$/.test(String(token)) && BigInt(String(token)) < 2n ** 63n;
}

/** Whether the last field is the sum of the other ones: FNV-1a of the text without it, in 32 bits. */
function isSummed(text: string): boolean {
  const [, others = '', sum] = /^(.*),"sum":"([0-9a-f]+)"\}$/s.exec(text) ?? [];
  return sum === summed(`${others}}`);
}

/** Returns the sum of a text. */
export function summed(text: string): string {
  let sum = 2_166_136_261;
  for (let at = 0; at < text.length; at += 1)
    sum = Math.imul(sum ^ text.charCodeAt(at), 16_777_619);
  return (sum >>> 0).toString(16);
}

function isId(value: unknown): value is string {
  return typeof value === 'string' && value.length <= idMax;
}

function isVersion(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) >= 0 && Number(value) < versionMax;
}

/** Returns whether a later version could be read. */
export function leavesVersion(version: number): boolean {
  return version + 1 < versionMax;
}

function numberOr(value: unknown, otherwise: number): number {
  return typeof value === 'number' ? value : otherwise;
}

/** Returns the subject of a row, by its name. */
export function subjectOf(name: string): { readonly kind: string; readonly id: string } {
  const at = name.indexOf('#');
  return at < 0 ? { kind: name, id: '' } : { kind: name.slice(0, at), id: name.slice(at + 1) };
}

/** Returns the incarnation of a session. */
export function incarnationOf(session: string): string {
  return session.slice(0, session.lastIndexOf('/'));
}

/** Returns which session of its process a session is. */
export function numberOf(session: string): number {
  return Number(session.slice(session.lastIndexOf('/') + 1));
}

/** T1: Returns whether a token counts: it leaves room for later ones. */
export function leavesRoom(token: bigint, wallMicros: number): boolean {
  return token <= BigInt(wallMicros) + 2n ** 61n;
}
