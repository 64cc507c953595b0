// How the term of a leader ended, as the rows show it to every member.
import type { TermEnd } from '../contract/term-end.ts';
import {
  type Basis,
  incarnationOf,
  type OwnershipRecord,
  parseSession,
  type SessionRecord,
} from './records.ts';
import type { MemberState, Session } from './state.ts';

/**
 * Returns how the term ended that rested on that record; `undefined` if it has not ended, or if the rows
 * do not show how: a record between was not read, or the row has another life.
 */
export function endOf(
  state: MemberState,
  index: number,
  basis: Basis | undefined,
): TermEnd | undefined {
  const partition = state.partitions[index];
  const record = partition?.announced ?? partition?.record;
  if (basis === undefined || record === undefined || record.life !== basis.life) return undefined;
  const later = record.version - basis.version;
  if (later === 0) return endOfSession(state, basis.session);
  return record.kind === 'none' ? undefined : endByLater(state, record, later, basis.session);
}

/** Returns how a term ended whose record was replaced: by the record in effect, or by one before it. */
function endByLater(
  state: MemberState,
  {
    kind,
    session,
    isLost,
  }: Pick<Exclude<OwnershipRecord, { readonly kind: 'none' }>, 'kind' | 'session' | 'isLost'>,
  later: number,
  before: string,
): TermEnd | undefined {
  if (later === 2 && kind === 'hold') return endBetween(state, before, isLost);
  if (later !== 1) return undefined;
  if (kind === 'hold') return endByClaim(state, session, before);
  return isLost ? 'lapsed' : 'handed-over';
}

/** A claim follows the end of the session before (M5), which may be an earlier one of the same process. */
function endByClaim(
  state: MemberState,
  by: string | undefined,
  before: string,
): TermEnd | undefined {
  const isSame = by !== undefined && incarnationOf(by) === incarnationOf(before);
  return endOfSession(state, before) ?? (isSame ? 'lapsed' : undefined);
}

/** Between the two records came a release to no session, unless the session was deposed. */
function endBetween(
  state: MemberState,
  id: string,
  isLost: boolean | undefined,
): TermEnd | undefined {
  const session = state.sessions.get(id);
  if (session === undefined || session.state === 'absent') return undefined;
  if (lastOf(state, session).isDeposed) return undefined;
  return isLost ? 'lapsed' : 'handed-over';
}

function endOfSession(state: MemberState, id: string): TermEnd | undefined {
  const session = state.sessions.get(id);
  if (session === undefined) return undefined;
  const { isDead, isDeposed, isProved } = lastOf(state, session);
  if (isDead && !isDeposed) return 'handed-over';
  if (isDead) return isProved ? 'proved-dead' : 'lapsed';
  // While the store does not answer, renewals may just not have been read.
  return session.isLapsed && state.failed.count === 0 ? 'lapsed' : undefined;
}

/** Returns what is known of the end of a session, also by a notification. */
function lastOf(
  { config }: MemberState,
  { state, isDeposed, isProved, shown }: Session,
): { readonly isDead: boolean; readonly isDeposed: boolean; readonly isProved: boolean } {
  if (state === 'dead' || shown === undefined)
    return { isDead: state === 'dead', isDeposed, isProved };
  const record = shownRecord(shown.text, config.thresholdMsMax);
  const [isEnd, isShownDeposed] = [record.kind !== 'live', record.kind === 'deposed'];
  return { isDead: isEnd, isDeposed: isShownDeposed, isProved: record.isProved };
}

let latest:
  | { readonly text: string; readonly ms: number; readonly record: SessionRecord }
  | undefined;

/** Parses a text once, though the session may own thousands of partitions that ask for it in a row. */
function shownRecord(text: string, ms: number): SessionRecord {
  if (latest?.text !== text || latest.ms !== ms)
    latest = { text, ms, record: parseSession(text, ms) };
  return latest.record;
}
