// The rows that notifications show before they are read. A member believes nothing by them: it counts T
// from when it saw a renewal (M4), tries to claim over a release (M5), and reports a leader (M3).
import type { NamedText } from '../rows/rows.ts';
import { isAlive, knownLeader, reportLeader, watch } from './owners.ts';
import {
  incarnationOf,
  type OwnershipRecord,
  parseName,
  parseSession,
  sessionName,
} from './records.ts';
import {
  type Flight,
  isOfThisProcess,
  type MemberState,
  type Partition,
  sessionNamed,
} from './state.ts';

type Owned = OwnershipRecord & { readonly kind: 'hold' | 'release' };

/** Takes rows as they were changed. */
export function showRows(state: MemberState, rows: readonly NamedText[]): void {
  for (const [name, text] of rows) {
    const of = parseName(name);
    if (text === null) continue;
    if (of.kind === 'session') showSession(state, of.id, text);
    const partition = of.kind === 'partition' ? state.partitions[of.partition] : undefined;
    if (partition !== undefined) showPartition(state, partition, text, rows);
  }
}

/** Ends what notifications had shown before an exchange was sent, which has ended. */
export function outdateShown(state: MemberState, { sentAt }: Flight): void {
  for (const partition of state.announced) {
    const { announced } = partition;
    if (announced !== undefined && announced.at > sentAt) continue;
    state.announced.delete(partition);
    partition.announced = undefined;
    reportLeader(state, partition);
  }
}

/** Notes when a record was shown. A session that is new counts as absent until it is read. */
function showSession(state: MemberState, id: string, text: string): void {
  const known = state.sessions.get(id);
  if (known?.text === text || known?.shown?.text === text) return;
  const session = known ?? sessionNamed(state, id);
  session.shown = { text, at: state.now };
  if (known === undefined) watch(state, session);
}

function showPartition(
  state: MemberState,
  partition: Partition,
  text: string,
  rows: readonly NamedText[],
): void {
  const record = state.rules.ownershipOf(text);
  const { record: before } = partition;
  if (record.kind === 'none' || before === undefined) return;
  if (record.life !== before.life || record.version <= before.version) return;
  if (record.session === undefined) return showRelease(state, partition, text, record);
  if (incarnationOf(record.session) === state.config.incarnation) return;
  showOwner(state, partition, { ...record, session: record.session }, rows);
}

/** Notes a release to no session, which this member may claim over. */
function showRelease(state: MemberState, partition: Partition, text: string, record: Owned): void {
  const { life, version, token, isLost = false } = record;
  const { owner } = partition;
  if (owner === undefined || isOfThisProcess(state, owner)) return;
  if (!state.rules.counts(record)) return;
  partition.shown = { text, life, version, token, isLost };
  state.todo.add(partition.index);
  state.isSoon = true;
}

/** Reports an owner until the next exchange has ended. One that is not known is read at once. */
function showOwner(
  state: MemberState,
  partition: Partition,
  { kind, life, version, session, token, isLost = false }: Owned & { readonly session: string },
  rows: readonly NamedText[],
): void {
  const { announced, stage } = partition;
  const { rules, wallMicros, now } = state;
  if (announced !== undefined && version <= announced.version) return;
  if (!rules.leavesRoom(token, wallMicros)) return;
  const owner = stage === 'idle' ? ownerOf(state, session, rows) : undefined;
  if (owner === undefined) {
    state.isSoon = true;
    return;
  }
  const leader = knownLeader(owner, token);
  partition.announced = { kind, life, version, session, isLost, leader, at: now };
  state.announced.add(partition);
  reportLeader(state, partition);
}

/** Returns the owner as it was read; or as the same notification shows it, if it has just begun. */
function ownerOf(
  { sessions, config }: MemberState,
  id: string,
  rows: readonly NamedText[],
): Parameters<typeof knownLeader>[0] | undefined {
  const known = sessions.get(id);
  if (known !== undefined && known.state !== 'absent') return isAlive(known) ? known : undefined;
  const [, text] = rows.find(([name]) => name === sessionName(id)) ?? [];
  const session = text == null ? undefined : parseSession(text, config.thresholdMsMax);
  if (session?.kind !== 'live') return undefined;
  return { presence: session.presence, incarnation: incarnationOf(id) };
}
