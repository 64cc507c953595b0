import { describe, expect, it } from 'vitest';
import { MemoryStore } from '../../src/memory/memory-rows.ts';
import { type RowsMember, rowsMember, thresholdMs } from '../support/rows-member.ts';

const codesOf = ({ source }: RowsMember): readonly string[] =>
  source.health().troubles.map(({ code }) => code);

async function close({ source, clock }: RowsMember): Promise<void> {
  const closing = source.close();
  await clock.pass(2 * thresholdMs);
  await closing;
}

describe('an observer of a group that no member has opened', () => {
  it('is ready and not healthy, writes nothing, and is healthy once a member has opened it', async () => {
    const store = new MemoryStore();
    const observer = rowsMember(store, { campaign: false, log: false });
    const { clock, source, sent } = observer;
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
    expect(sent.flatMap(({ changes }) => changes)).toEqual([]);
    const opener = rowsMember(store, { member: 'b' }, undefined, clock);
    await clock.pass(thresholdMs);
    expect(codesOf(observer)).toEqual([]);
    await close(opener);
    await close(observer);
  });

  it('reports it again once the group was deleted', async () => {
    const store = new MemoryStore();
    await closeAfterOpening(store);
    const observer = rowsMember(store, { campaign: false, log: false });
    await observer.source.ready();
    expect(codesOf(observer)).toEqual([]);
    for (const name of [...store.rows.rows.keys()]) store.rows.put(name, null);
    await observer.clock.pass(thresholdMs);
    expect(codesOf(observer)).toEqual(['unknown-group']);
    await close(observer);
  });

  it('reports nothing after it was closed before its first read', async () => {
    const observer = rowsMember(new MemoryStore(), { campaign: false, log: false });
    await close(observer);
    expect(codesOf(observer)).not.toContain('unknown-group');
  });
});

it.each([
  ['opens it', thresholdMs],
  ['is closed before', 0],
])('a candidate reports no unknown group, whether it %s', async (_, ms) => {
  const member = rowsMember(new MemoryStore(), { log: false });
  const seen: unknown[] = [];
  member.source.events$.subscribe(({ code }) => seen.push(code));
  if (ms > 0) await member.clock.pass(ms);
  await close(member);
  expect(seen).not.toContain('unknown-group');
});

async function closeAfterOpening(store: MemoryStore): Promise<void> {
  const opener = rowsMember(store, { member: 'opener' });
  await opener.clock.pass(10);
  await close(opener);
}
