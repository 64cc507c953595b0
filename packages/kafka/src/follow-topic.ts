import { LeadershipError } from '@leadership/core';
import { type LedgerNews, pinRegister } from '@leadership/core/ledger';
import { chains } from './chains.ts';
import { isSaid } from './errors.ts';
import type { Intake } from './intake.ts';
import { type Link, openLink } from './link.ts';
import { readRecord } from './read-record.ts';
import { readToEnd } from './read-to-end.ts';
import { read } from './reader.ts';
import { limitsOf, type Wiring } from './wiring.ts';

/** What following one member's topic needs. */
export interface FollowingOptions {
  readonly wiring: Wiring;
  readonly taking: Intake;
  /** Makes the topic, and looks at it: before it is first read, and again once it is gone. */
  readonly prepare: (signal: AbortSignal) => Promise<void>;
  /** There is a new connection: writes go by it too. */
  readonly linked: (link: Link) => void;
}

/** News of the topic over one connection after the other: each call opens one, and ends or throws with it. */
export function followTopic({ wiring, taking, prepare, linked }: FollowingOptions): (signal: AbortSignal) => AsyncGenerator<LedgerNews> {
  const { topic, partitions, clock, host } = wiring;
  const answered = (): void => host.confirmed();
  let isPrepared = false;
  return async function* (signal) {
    if (!isPrepared) await prepare(signal);
    isPrepared = true;
    const link = await openLink({ ...wiring, ...limitsOf(wiring) }, signal);
    const over = new AbortController();
    try {
      if (link.partitions < partitions) yield* tooFew(wiring, link, limitsOf(wiring).limitMs);
      linked(link);
      const news = taking.begin();
      const reading = read({ link, topic, clock, ...patienceOf(wiring), taking, answered }).finally(() => over.abort());
      reading.catch(() => undefined);
      yield* news.drain(over.signal);
      await reading;
    } catch (error) {
      // Whoever deleted the topic may want another: it is made, and looked at, as at the start.
      if (isSaid(error, 'UNKNOWN_TOPIC_OR_PARTITION')) isPrepared = false;
      throw error;
    } finally {
      link.hangUp();
    }
  };
}

/** How long a broker may wait for something new, and how long its answer may take beyond that: both together are over before a lease is. */
function patienceOf({ thresholdMs }: Wiring): { readonly waitMs: number; readonly limitMs: number } {
  return { waitMs: thresholdMs / 3, limitMs: thresholdMs / 3 };
}

/** Where the topic is too small, the group's pin may say that it is this member who is configured differently (R3). Throws. */
async function* tooFew({ topic, group, partitions, clock }: Wiring, link: Link, limitMs: number): AsyncGenerator<LedgerNews> {
  const there = link.partitions;
  const own = chains();
  for (const { value, offset } of await readToEnd(link, 0, { topic, clock, limitMs })) {
    const what = readRecord(0, value);
    if (what.kind === 'record') own.note(what.record, offset);
  }
  const pin = own.current(group, pinRegister);
  if (pin) yield { kind: 'record', record: pin.record, receivedAt: clock.now() };
  if (pin) yield { kind: 'end', partitions: [pinRegister] };
  const sentence = `topic ${topic}: it has ${there} partitions, and partitions is ${partitions}: add some to the topic, or configure fewer`;
  throw new LeadershipError('misconfigured-backend', sentence);
}
