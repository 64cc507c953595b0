// The binary format of messages between gossip members. A reader takes untrusted bytes: it returns
// a message that a writer can have produced, or nothing. The protocol checks the content of the
// message.
import { ByteReader, type ByteWriter } from '@leadership/peer';
import type { Declaration } from '../../protocol/election/declaration.ts';
import type { Delta } from '../../protocol/gossip/deltas.ts';
import type { Body, Digest } from '../../protocol/gossip/digests.ts';
import type { Row } from '../../protocol/gossip/node.ts';
import type { Message } from '../../protocol/message.ts';
import { readDeclaration, writeDeclaration } from './declaration-form.ts';
import {
  readClock,
  readList,
  readName,
  readShort,
  readValue,
  wholeMax,
  writeClock,
  writeName,
  writeShort,
  writeValue,
} from './values.ts';

/** The version of the encoding. */
const version = 1;
/** The bytes of a pin, which is a text of twice as many hexadecimal digits. */
const pinBytes = 16;

const kinds = ['digest', 'reply', 'deltas'] as const;

/** Appends a message. */
export function writeMessage(to: ByteWriter, { pin, from, body }: Message): void {
  to.byte(version);
  to.raw(Buffer.from(pin, 'hex'));
  writeRow(to, from);
  to.byte(kinds.indexOf(body.kind));
  switch (body.kind) {
    case 'digest':
      return writeDigest(to, body);
    case 'reply':
      writeDeltas(to, body.deltas);
      return writeRows(to, body.lacks);
    case 'deltas':
      return writeDeltas(to, body.deltas);
  }
}

/** Reads a message of a group with that number of partitions; `undefined` if it is not one. */
export function readMessage(bytes: Buffer, partitions: number): Message | undefined {
  const from = new ByteReader(bytes);
  if (from.byte() !== version) return undefined;
  const pin = from.raw(pinBytes).toString('hex');
  const message = { pin, from: readRow(from), body: readBody(from, partitions) };
  return from.isDone ? message : undefined;
}

function readBody(from: ByteReader, partitions: number): Body<Declaration> {
  const kind = from.oneOf(kinds);
  switch (kind) {
    case 'digest':
      return readDigest(from);
    case 'reply':
      return { kind, deltas: readDeltas(from, partitions), lacks: readRows(from) };
    case 'deltas':
      return { kind, deltas: readDeltas(from, partitions) };
  }
}

/** A digest covers no range, a range with an end, or one up to the last name. */
const ranges = ['none', 'bounded', 'open'] as const;

function writeDigest(to: ByteWriter, { range, rows }: Digest): void {
  const kind = range === undefined ? 'none' : range.to === undefined ? 'open' : 'bounded';
  to.byte(ranges.indexOf(kind));
  if (range) writeName(to, range.from);
  if (range?.to !== undefined) writeName(to, range.to);
  writeRows(to, rows);
}

function readDigest(from: ByteReader): Digest {
  const kind = from.oneOf(ranges);
  const start = kind === 'none' ? '' : readName(from);
  const end = kind === 'bounded' ? readName(from) : undefined;
  const range = kind === 'none' ? undefined : { from: start, to: end };
  return { kind: 'digest', range, rows: readRows(from) };
}

function writeRows(to: ByteWriter, rows: readonly Row[]): void {
  writeShort(to, rows.length);
  for (const row of rows) writeRow(to, row);
}

function readRows(from: ByteReader): readonly Row[] {
  return readList(from, readShort(from), () => readRow(from));
}

function writeRow(to: ByteWriter, row: Row): void {
  writeName(to, row.name);
  to.uint(row.generation);
  to.uint(row.beat);
  writeClock(to, row.clock);
  to.uint(row.sequence);
  to.uint(row.version);
  to.uint(row.floor);
}

function readRow(from: ByteReader): Row {
  return {
    name: readName(from),
    generation: from.uint(wholeMax),
    beat: from.uint(wholeMax),
    clock: readClock(from),
    sequence: from.uint(wholeMax),
    version: from.uint(wholeMax),
    floor: from.uint(wholeMax),
  };
}

function writeDeltas(to: ByteWriter, deltas: readonly Delta<Declaration>[]): void {
  writeShort(to, deltas.length);
  for (const { row, declaration, since, entries } of deltas) {
    writeRow(to, row);
    to.flag(declaration !== undefined);
    if (declaration) writeDeclaration(to, declaration);
    to.uint(since);
    to.byte(entries.length);
    for (const { key, value, version: written } of entries) {
      writeName(to, key);
      writeValue(to, value);
      to.uint(written);
    }
  }
}

function readDeltas(from: ByteReader, partitions: number): readonly Delta<Declaration>[] {
  return readList(from, readShort(from), () => {
    const row = readRow(from);
    const declaration = from.flag() ? readDeclaration(from, partitions) : undefined;
    const since = from.uint(wholeMax);
    const entries = readList(from, from.byte(), () => ({
      key: readName(from),
      value: readValue(from),
      version: from.uint(wholeMax),
    }));
    return { row, declaration, since, entries };
  });
}
