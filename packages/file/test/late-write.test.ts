import { eventually } from '@leadership/testkit/adapter';
import { describe, expect, it } from 'vitest';
import { openMember } from './support/member.ts';
import { tempDirectory } from './support/temp-directory.ts';

/** A signal that aborts between the last look before a record is put in place and the answer. */
function abortsMidway(): AbortSignal {
  let looks = 0;
  return {
    get aborted() {
      looks += 1;
      return looks > 1;
    },
  } as AbortSignal;
}

describe('a write that is answered too late', () => {
  it('is told as news: who gave up on it would contend for ever against its own record (L4)', async () => {
    await using directory = await tempDirectory();
    await using member = openMember(directory.path);
    await member.opened();
    const { incarnation } = member.host;
    const place = { group: 'g', partition: 0, after: null, height: 0, thresholdMs: 1000, token: 1n };
    await member.ledger.write({ ...place, id: `m/${incarnation}/1`, member: 'm', incarnation, kind: 'hold' }, abortsMidway());
    const told = await eventually('the record is told', () => member.current());
    expect(told.id).toBe(`m/${incarnation}/1`);
  });

  it('is told as news to an engine that goes on from an earlier record, whose every write would be refused', async () => {
    await using directory = await tempDirectory();
    await using member = openMember(directory.path);
    await member.opened();
    const { incarnation } = member.host;
    const own = { group: 'g', partition: 0, after: null, height: 0, thresholdMs: 1000, token: 1n, member: 'm', incarnation, kind: 'hold' };
    const { signal } = new AbortController();
    expect(await member.ledger.write({ ...own, id: `m/${incarnation}/1` }, signal)).toBe('in-effect');
    expect(await member.ledger.write({ ...own, id: `m/${incarnation}/2` }, signal)).toBe('refused');
    const told = await eventually('the record is told', () => member.current());
    expect(told.id).toBe(`m/${incarnation}/1`);
  });
});
