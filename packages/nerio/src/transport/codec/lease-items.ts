// The binary formats of the messages about leases: requests for a grant and the answers to them,
// releases, and requests to a leader for its lease. The meaning of each field is in `message.ts`.
import type {
  GrantRequest,
  LeaseRequest,
  Ok,
  Refusal,
  Refused,
  Release,
  Standing,
} from '../../protocol/message.ts';
import { incarnationBytesMax, leaseMsLimit, wholeMax } from './limits.ts';
import {
  type Form,
  readIndex,
  readName,
  readOwnStart,
  readPartition,
  readSample,
  readTheirStart,
  writeIndex,
  writeOwnStart,
  writeSample,
  writeTheirStart,
} from './scope.ts';

// A message contains the index of an item in these lists. Append new items at the end, because
// other indexes must not change.
const standings = ['claiming', 'leading', 'leaving'] as const satisfies readonly Standing[];
const refusals = [
  'held',
  'muted',
  'too-long',
  'released',
  'skew',
  'ending',
] as const satisfies readonly Refusal[];

export const grantRequestForm: Form<GrantRequest> = {
  write(to, { partition, start, leaseMs, token, standing, successor }) {
    to.uint(partition);
    writeOwnStart(to, start);
    to.float(leaseMs);
    to.token(token);
    to.uint(standings.indexOf(standing));
    writeIndex(to, successor);
  },
  read(from, scope) {
    const partition = readPartition(from, scope);
    const start = readOwnStart(from, scope);
    const leaseMs = from.float(0, leaseMsLimit);
    const token = from.token();
    const standing = from.oneOf(standings);
    return {
      kind: 'grant-request',
      partition,
      start,
      leaseMs,
      token,
      standing,
      successor: readIndex(from, scope),
    };
  },
};

export const okForm: Form<Ok> = {
  write(to, { partition, start, at, life, waitedMs, rival, isEnding }, ends) {
    to.uint(partition);
    writeTheirStart(to, start, ends);
    writeSample(to, at);
    to.uint(life);
    to.float(waitedMs);
    to.token(rival);
    to.flag(isEnding);
  },
  read(from, scope) {
    const partition = readPartition(from, scope);
    const start = readTheirStart(from, scope);
    const at = readSample(from);
    const life = from.uint(wholeMax);
    const waitedMs = from.float(0, Number.MAX_VALUE);
    const rival = from.token();
    return { kind: 'ok', partition, start, at, life, waitedMs, rival, isEnding: from.flag() };
  },
};

export const refusedForm: Form<Refused> = {
  write(to, { partition, start, why, holder, isLeaving, forMs }, ends) {
    to.uint(partition);
    writeTheirStart(to, start, ends);
    to.uint(refusals.indexOf(why));
    to.flag(holder !== undefined);
    if (holder !== undefined) {
      to.text(holder.member);
      to.text(holder.incarnation);
    }
    to.flag(isLeaving);
    to.float(forMs);
  },
  read(from, scope) {
    const partition = readPartition(from, scope);
    const start = readTheirStart(from, scope);
    const why = from.oneOf(refusals);
    const holder = from.flag()
      ? { member: readName(from, scope), incarnation: from.text(incarnationBytesMax) }
      : undefined;
    const isLeaving = from.flag();
    return {
      kind: 'refused',
      partition,
      start,
      why,
      holder,
      isLeaving,
      forMs: from.float(0, Number.POSITIVE_INFINITY),
    };
  },
};

export const releaseForm: Form<Release> = {
  write(to, { partition, start }) {
    to.uint(partition);
    writeOwnStart(to, start);
  },
  read(from, scope) {
    const partition = readPartition(from, scope);
    return { kind: 'release', partition, start: readOwnStart(from, scope) };
  },
};

export const leaseRequestForm: Form<LeaseRequest> = {
  write(to, { partition, leads }) {
    to.uint(partition);
    to.uint(leads);
  },
  read(from, scope) {
    const partition = readPartition(from, scope);
    return { kind: 'lease-request', partition, leads: from.uint(scope.partitions) };
  },
};
