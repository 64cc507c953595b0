import { describe, expect, it } from 'vitest';
import type { LeadershipSource } from '../../src/contract/source.ts';
import { pinRegister } from '../../src/ledger/record.ts';
import { electionOf, thresholdMs } from '../support/ledger-source.ts';
import { turn } from '../support/manual-clock.ts';
import { pin } from '../support/steered-ledger.ts';

const codesOf = (source: LeadershipSource): readonly string[] =>
  source.health().troubles.map(({ code }) => code);

describe('an observer of a group that no member has opened', () => {
  it('is ready and not healthy, writes nothing, and is healthy once a member has opened it', async () => {
    const { source, store, clock } = electionOf({ campaign: false, log: false });
    await source.ready();
    expect(source.health()).toMatchObject({
      ok: false,
      troubles: [
        {
          code: 'unknown-group',
          message: expect.stringMatching(/^no member has ever opened group "g" here: /),
        },
      ],
    });
    await clock.pass(thresholdMs);
    expect(store.writes).toEqual([]);
    const record = pin({ partitions: '2', thresholdMsMax: String(thresholdMs) });
    store.deliver({ kind: 'record', record, receivedAt: clock.now() });
    await turn();
    expect(codesOf(source)).toEqual([]);
    await source.close();
  });

  it('reports it again once the pin was deleted', async () => {
    const { source, store } = electionOf({ campaign: false, log: false }, ({ current }) => {
      current.set(pinRegister, pin({ partitions: '2', thresholdMsMax: String(thresholdMs) }));
    });
    await source.ready();
    expect(codesOf(source)).toEqual([]);
    store.current.clear();
    store.ledger.reread(pinRegister);
    await turn();
    expect(codesOf(source)).toEqual(['unknown-group']);
    await source.close();
  });

  it('opens it once it campaigns, and notifies the ledger first that it may create', async () => {
    const { source, store, clock, membership } = electionOf({ campaign: false, log: false });
    const reported: unknown[] = [];
    store.ledger.setCandidate = (isCandidate) =>
      void reported.push([isCandidate, store.writes.length]);
    await source.ready();
    membership.campaign(true);
    expect(reported).toEqual([[true, 0]]);
    await clock.pass(thresholdMs);
    expect(codesOf(source)).toEqual([]);
    expect(source.role(0).isLeading()).toBe(true);
    await source.close();
    expect(reported.at(-1)).toMatchObject([false, expect.any(Number)]);
  });

  it('reports nothing after it was closed before its first read', async () => {
    const { source } = electionOf({ campaign: false, log: false });
    const closing = source.close();
    await closing;
    expect(codesOf(source)).not.toContain('unknown-group');
  });
});

it('a candidate reports no unknown group, whether it opens it or is closed before', async () => {
  const { source, clock } = electionOf({ log: false });
  const seen: unknown[] = [];
  source.events$.subscribe(({ code }) => seen.push(code));
  await clock.pass(thresholdMs);
  await source.close();
  expect(seen).not.toContain('unknown-group');
});
