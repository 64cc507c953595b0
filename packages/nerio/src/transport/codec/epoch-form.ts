// The binary format of an epoch: the members of a group, and which sets of them decide.
import type { ByteReader, ByteWriter } from '@leadership/peer';
import { type Epoch, type EpochMember, faultInEpoch } from '../../protocol/electorate.ts';
import { membersMax } from '../../protocol/members.ts';
import type { QuorumSpec } from '../../protocol/quorums.ts';
import { nameBytesMax, quorumPlacesMax, quorumSetsMax, wholeMax } from './limits.ts';
import { type Form, readTokens, writeTokens } from './scope.ts';

/** Rejects an epoch that could elect no leader, or two. */
export const epochForm: Form<Epoch> = {
  write(to, { number, members, quorums, tokens }) {
    to.uint(number);
    to.uint(members.length);
    for (const member of members) writeMember(to, member);
    writeQuorums(
      to,
      quorums,
      members.map(({ member }) => member),
    );
    to.uint(tokens.length);
    writeTokens(to, tokens);
  },
  read(from, { partitions }) {
    const number = from.uint(wholeMax);
    const members = readMany(from, membersMax, readMember);
    const names = members.map(({ member }) => member);
    const quorums = readQuorums(from, names);
    const tokens = readTokens(from, from.uint(partitions));
    const epoch = { number, members, quorums, tokens };
    if (from.isSound && faultInEpoch(epoch) !== undefined) from.fail();
    return epoch;
  },
};

/** The value of one right of a member: unspecified, denied or granted. */
const rights = [undefined, false, true] as const;

function writeMember(to: ByteWriter, { member, votes, stands }: EpochMember): void {
  to.text(member);
  to.uint(rights.indexOf(votes));
  to.uint(rights.indexOf(stands));
}

function readMember(from: ByteReader): EpochMember {
  const member = from.text(nameBytesMax);
  const votes = from.oneOf(rights);
  const stands = from.oneOf(rights);
  return { member, ...(votes !== undefined && { votes }), ...(stands !== undefined && { stands }) };
}

/** In the order of their numbers on the wire: append new ones at the end. */
const systems = [
  'majority',
  'weights',
  'grid',
  'sets',
] as const satisfies readonly QuorumSpec['kind'][];

/** Voters are encoded by their index in the epoch. */
function writeQuorums(to: ByteWriter, spec: QuorumSpec, names: readonly string[]): void {
  to.uint(systems.indexOf(spec.kind));
  switch (spec.kind) {
    case 'majority':
      return;
    case 'weights':
      return writeWeights(to, spec, names);
    case 'grid':
      return writeSets(to, spec.rows, names);
    case 'sets':
      return writeSets(to, spec.sets, names);
  }
}

function readQuorums(from: ByteReader, names: readonly string[]): QuorumSpec {
  const kind = from.oneOf(systems);
  switch (kind) {
    case 'majority':
      return { kind };
    case 'weights':
      return readWeights(from, names);
    case 'grid':
      return { kind, rows: readSets(from, names) };
    case 'sets':
      return { kind, sets: readSets(from, names) };
  }
}

type Weights = QuorumSpec & { readonly kind: 'weights' };

function writeWeights(to: ByteWriter, { weights, need }: Weights, names: readonly string[]): void {
  const entries = Object.entries(weights);
  to.uint(entries.length);
  for (const [name, weight] of entries) {
    to.uint(names.indexOf(name));
    to.float(weight);
  }
  to.flag(need !== undefined);
  if (need !== undefined) to.float(need);
}

function readWeights(from: ByteReader, names: readonly string[]): Weights {
  const entries = readMany(
    from,
    membersMax,
    () => [readPlace(from, names), from.float(0, Number.MAX_VALUE)] as const,
  );
  const weights = Object.fromEntries(entries);
  if (Object.keys(weights).length !== entries.length) from.fail();
  return {
    kind: 'weights',
    weights,
    ...(from.flag() && { need: from.float(0, Number.MAX_VALUE) }),
  };
}

function writeSets(
  to: ByteWriter,
  sets: readonly (readonly string[])[],
  names: readonly string[],
): void {
  to.uint(sets.length);
  for (const set of sets) {
    to.uint(set.length);
    for (const name of set) to.uint(names.indexOf(name));
  }
}

function readSets(from: ByteReader, names: readonly string[]): readonly (readonly string[])[] {
  let places = 0;
  return readMany(from, quorumSetsMax, () => {
    const set = readMany(from, membersMax, () => readPlace(from, names));
    places += set.length;
    if (places > quorumPlacesMax) from.fail();
    return set;
  });
}

/** The name of a member, encoded by its index. */
function readPlace(from: ByteReader, names: readonly string[]): string {
  const name = names[from.uint(membersMax)];
  if (name === undefined) from.fail();
  return name ?? '';
}

/** Reads as many values as announced; stops at the first invalid one. */
function readMany<T>(
  from: ByteReader,
  countMax: number,
  read: (from: ByteReader) => T,
): readonly T[] {
  const count = from.uint(countMax);
  const many: T[] = [];
  for (let index = 0; index < count && from.isSound; index += 1) many.push(read(from));
  return many;
}
