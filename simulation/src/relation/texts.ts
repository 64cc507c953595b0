// The texts of rows, by docs/reference/session-lease.md: an independent reading, which shares no code
// with the machine.

/** A session as its row shows it. */
export interface SessionText {
  readonly kind: 'live' | 'dead' | 'absent';
  readonly version: number;
  /** 0 if the text does not say it. */
  readonly thresholdMs: number;
  readonly wants: readonly number[];
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
}

type Fields = Readonly<Record<string, unknown>>;

/** Returns the fields of a text. One that cannot be parsed has none. */
export function fieldsOf(text: string): Fields {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Fields) : {};
  } catch {
    return {};
  }
}

/** Only two kinds of a session are dead: an unknown one is alive. */
export function sessionText(text: string | null): SessionText {
  if (text === null)
    return { kind: 'absent', version: -1, thresholdMs: 0, wants: [], isProved: false };
  const { kind, version, thresholdMs, wants, isProved } = fieldsOf(text);
  return {
    kind: kind === 'ended' || kind === 'deposed' ? 'dead' : 'live',
    version: numberOf(version, 0),
    thresholdMs: numberOf(thresholdMs, 0),
    wants: Array.isArray(wants) ? (wants as number[]) : [],
    isProved: isProved === true,
  };
}

/** The field `session` names the owner, whatever the kind is. */
export function partitionText(text: string | null): PartitionText {
  const fields = fieldsOf(text ?? '{}');
  const { kind, life, version, session, seen, token } = fields;
  if (text === null || !isReadable(fields))
    return { ...unread, kind: text === null ? 'missing' : 'none' };
  const isRelease = kind === 'release';
  const owner = typeof session === 'string' ? session : undefined;
  return {
    kind: owner !== undefined ? 'owned' : isRelease ? 'free' : 'none',
    isRelease,
    life: String(life),
    version: Number(version),
    session: owner,
    seen: numberOf(seen, -1),
    token: kind === 'none' ? 0n : BigInt(String(token)),
  };
}

const unread: Omit<PartitionText, 'kind'> = {
  isRelease: false,
  life: '',
  version: 0,
  session: undefined,
  seen: -1,
  token: 0n,
};

function isReadable({ kind, life, version, token }: Fields): boolean {
  return (
    typeof life === 'string' &&
    typeof version === 'number' &&
    (kind === 'none' || /^\d+$/.test(String(token)))
  );
}

function numberOf(value: unknown, otherwise: number): number {
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

/** T1: Returns whether a token counts: it leaves room for later ones. */
export function leavesRoom(token: bigint, wallMicros: number): boolean {
  return token <= BigInt(wallMicros) + 2n ** 61n;
}
