// Measures the cost of encoding and decoding the messages between members. The baseline is JSON.
//
// A round encodes, decodes and validates eight renewal requests in one frame and the eight grants
// in another, repeated for about a fifth of a millisecond. JSON encodes and decodes the same
// messages without validation. Its tokens are strings from the beginning, because JSON has no
// bigint. Signatures are not included; a remark contains their cost.
import { createHmac } from 'node:crypto';
import {
  decodeMessages,
  type Ends,
  encodeMessages,
  type Receiver,
} from '@leadership/nerio/internal/codec';
import type { Item } from '@leadership/nerio/internal/protocol';
import { consume } from '../measure/consume.ts';
import { interleave, type Times } from '../measure/rounds.ts';
import { median } from '../measure/statistics.ts';
import { costOf } from '../report/costs.ts';
import type { Report } from '../report/figures.ts';
import { significant } from '../report/significant.ts';

const partitions = 8;
const epoch = 3;
const names = ['a.example:7400', 'b.example:7400', 'c.example:7400'];
/** Two incarnations, which UUIDs identify. */
const [leader, voter] = [
  '0b0e8a4e-6f0c-4b53-a7b4-0f6a4b0c9d11',
  '7c1d52f6-0a39-4c60-9d0e-5d1f0c2b7a22',
] as const;
const there: Ends = { from: leader, to: voter };
const back: Ends = { from: voter, to: leader };
const receiver: Receiver = { partitions, epoch, names: new Set(names) };
/** Rounds of the protocol per measured round. */
const repeats = 4;

const asks: readonly Item[] = Array.from({ length: partitions }, (_, partition) => ({
  kind: 'grant-request',
  partition,
  start: { incarnation: leader, at: 86_400_123.456 + partition, count: 0 },
  leaseMs: 3000.125,
  token: 1_795_000_000_000_000n + BigInt(partition),
  standing: 'leading',
  successor: -1,
}));
const oks: readonly Item[] = Array.from({ length: partitions }, (_, partition) => ({
  kind: 'ok',
  partition,
  start: { incarnation: leader, at: 86_400_123.456 + partition, count: 0 },
  at: { at: 43_200_456.789, count: partition },
  life: 1_795_000_000_000,
  waitedMs: 0,
  rival: 1_794_000_000_000_000n,
  isEnding: false,
}));
const speeches = [
  [asks, there],
  [oks, back],
] as const;
const texts = [asks, oks].map((items) => ({ epoch, items: items.map(withTextTokens) }));

/** Runs the benchmark. */
export function codec(times: Times): Promise<Report> {
  const pairs = interleave(ours, json, times);
  const bytes = speeches.reduce(
    (sum, [items, ends]) => sum + Buffer.concat(encodeMessages(messagesOf(items), ends)).length,
    0,
  );
  const jsonBytes = texts.reduce((sum, one) => sum + Buffer.byteLength(JSON.stringify(one)), 0);
  const notes = [
    `median of the rounds' own ratios: ${pairs.pairedRatio.toFixed(3)}`,
    `${asks.length} requests and ${oks.length} grants: ${bytes} bytes, as JSON ${jsonBytes}`,
    `signing and verifying both frames: ${significant(signatureNs())} ns more`,
  ];
  return Promise.resolve({
    figures: costOf('codec', 'ns', 1, pairs),
    against: 'JSON without validation',
    notes,
  });
}

function ours(): number {
  let count = 0;
  const began = performance.now();
  for (let repeat = 0; repeat < repeats; repeat += 1) {
    for (const [items, ends] of speeches) {
      for (const piece of encodeMessages(messagesOf(items), ends))
        count += decodeMessages(piece, ends, receiver)?.items.length ?? 0;
    }
  }
  return perRound(performance.now() - began, count);
}

function json(): number {
  let count = 0;
  const began = performance.now();
  for (let repeat = 0; repeat < repeats; repeat += 1) {
    for (const said of texts) {
      const read: unknown = JSON.parse(Buffer.from(JSON.stringify(said)).toString());
      count += (read as typeof said).items.length;
    }
  }
  return perRound(performance.now() - began, count);
}

/** Returns the nanoseconds per round of the protocol. Throws if messages are missing. */
function perRound(ms: number, count: number): number {
  if (count !== 2 * partitions * repeats)
    throw new RangeError(`${count} messages were decoded instead of ${2 * partitions * repeats}`);
  consume(count);
  return (ms * 1e6) / repeats;
}

function messagesOf(
  items: readonly Item[],
): readonly { readonly epoch: number; readonly item: Item }[] {
  return items.map((item) => ({ epoch, item }));
}

function withTextTokens(item: Item): object {
  const texts = Object.entries(item).map(([name, value]) => [
    name,
    typeof value === 'bigint' ? String(value) : value,
  ]);
  return Object.fromEntries(texts);
}

/** Measures HMAC-SHA-256 over both frames, once to sign and once to verify, in nanoseconds. */
function signatureNs(): number {
  const pieces = speeches.flatMap(([items, ends]) => encodeMessages(messagesOf(items), ends));
  const runs = Array.from({ length: 2000 }, () => {
    const began = performance.now();
    for (const piece of pieces) {
      for (let side = 0; side < 2; side += 1)
        consume(createHmac('sha256', leader).update(piece).digest()[0] ?? 0);
    }
    return (performance.now() - began) * 1e6;
  });
  return median(runs);
}
