// The rows that a member reads. Each changed text is taken once.

import { isSamePresence } from '../engine/presence.ts';
import { isOld } from './members.ts';
import { readPin } from './pin.ts';
import { readPartition } from './read-partition.ts';
import { readSession } from './read-session.ts';
import { noteName, parseName, parseNote, partitionName, pinName, sessionName } from './records.ts';
import type { MemberState } from './state.ts';

/** Takes a row as it is now. `isRenewed`: whether the own renewal took effect in that exchange. */
export function readRow(
  state: MemberState,
  name: string,
  text: string | null,
  isRenewed: boolean,
): void {
  const of = parseName(name);
  if (of.kind === 'session') return readSession(state, of.id, text);
  if (of.kind === 'member') return readNote(state, of.id, text);
  if (of.kind === 'pin') return readPin(state, text);
  if (of.kind === 'kept') return;
  const partition = of.kind === 'partition' ? state.partitions[of.partition] : undefined;
  if (partition !== undefined) return readPartition(state, partition, text, isRenewed);
  state.outputs.push({ kind: 'ignored', what: 'unknown row' });
}

/** Takes it that rows do not exist which a whole answer does not show. */
export function readAbsent(state: MemberState, shown: ReadonlyMap<string, unknown>): void {
  const names = [
    pinName,
    ...state.partitions
      .filter(({ text }) => text !== null)
      .map(({ index }) => partitionName(index)),
    ...[...state.sessions.keys()].map(sessionName),
    // The own note too, which a store that reads first may have lost before any reading showed it.
    ...[...state.notes.keys(), state.config.incarnation].map(noteName),
  ];
  for (const name of names) if (!shown.has(name)) readRow(state, name, null, false);
}

function readNote(state: MemberState, incarnation: string, text: string | null): void {
  const { notes, config } = state;
  if (incarnation === config.incarnation) state.note.text = text;
  if (notes.has(incarnation) !== (text !== null)) state.areMembersStale = true;
  if (text === null) notes.delete(incarnation);
  else if (notes.get(incarnation)?.text !== text) takeNote(state, incarnation, text);
}

function takeNote(state: MemberState, incarnation: string, text: string): void {
  const { notes, config, now } = state;
  const record = parseNote(text, config.thresholdMsMax);
  const { presence, thresholdMs, partitionsMax = Number.POSITIVE_INFINITY } = record;
  const before = notes.get(incarnation);
  if (before && !isSamePresence(presence, before.presence)) state.listing.isStale = true;
  if (before && before.partitionsMax !== partitionsMax) state.areMembersStale = true;
  notes.set(incarnation, {
    text,
    presence,
    partitionsMax,
    thresholdMs,
    arrivedAt: now,
    sweptAt: now,
    isOutdated: false,
    isUnheard: !state.hasRead && isOld(state, record),
  });
}
