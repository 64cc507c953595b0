// The binary formats of the messages of the ring of candidates, of learning and of verification
// (N9, N4 and N12, in docs/explanation/nerio.md).
import type { ByteReader } from '@leadership/peer';
import type { Learn, Learned, Ping, Pong, Remainder, Verify } from '../../protocol/message.ts';
import { wholeMax } from './limits.ts';
import {
  type Form,
  readIndex,
  readPartition,
  readTokens,
  type Scope,
  writeIndex,
  writeTokens,
} from './scope.ts';

export const pingForm: Form<Ping> = {
  write: (to, { beat }) => to.uint(beat),
  read: (from) => ({ kind: 'ping', beat: from.uint(wholeMax) }),
};

export const pongForm: Form<Pong> = {
  write(to, { beat, isUnsolicited, stands }) {
    to.uint(beat);
    to.flag(isUnsolicited);
    for (const index of stands) writeIndex(to, index);
  },
  read(from, scope) {
    const beat = from.uint(wholeMax);
    const isUnsolicited = from.flag();
    return { kind: 'pong', beat, isUnsolicited, stands: readStands(from, scope) };
  },
};

function readStands(from: ByteReader, scope: Scope): readonly number[] {
  const stands: number[] = [];
  for (let partition = 0; partition < scope.partitions && from.isSound; partition += 1)
    stands.push(readIndex(from, scope));
  return stands;
}

export const learnForm: Form<Learn> = {
  write: (to, { beat }) => to.uint(beat),
  read: (from) => ({ kind: 'learn', beat: from.uint(wholeMax) }),
};

export const learnedForm: Form<Learned> = {
  write(to, { beat, tokens, remembers, epochMax }) {
    to.uint(beat);
    writeTokens(to, tokens);
    to.flag(remembers);
    to.uint(epochMax);
  },
  read(from, { partitions }) {
    const beat = from.uint(wholeMax);
    const tokens = readTokens(from, partitions);
    const remembers = from.flag();
    return { kind: 'learned', beat, tokens, remembers, epochMax: from.uint(wholeMax) };
  },
};

export const verifyForm: Form<Verify> = {
  write(to, { partition, id }) {
    to.uint(partition);
    to.uint(id);
  },
  read(from, scope) {
    const partition = readPartition(from, scope);
    return { kind: 'verify', partition, id: from.uint(wholeMax) };
  },
};

export const remainderForm: Form<Remainder> = {
  write(to, { partition, id, remainderMs }) {
    to.uint(partition);
    to.uint(id);
    to.float(remainderMs);
  },
  read(from, scope) {
    const partition = readPartition(from, scope);
    const id = from.uint(wholeMax);
    return {
      kind: 'remainder',
      partition,
      id,
      remainderMs: from.float(-Number.MAX_VALUE, Number.MAX_VALUE),
    };
  },
};
