import { eventually } from '@leadership/testkit/adapter';
import { describe, expect, it } from 'vitest';
import { openMember } from './support/member.ts';
import { tempDirectory } from './support/temp-directory.ts';

/**
 * Creates a signal that aborts between the last check before a record is put in place and the
 * result.
 */
function abortsMidway(): AbortSignal {
  let looks = 0;
  return {
    get aborted() {
      looks += 1;
      return looks > 1;
    },
  } as AbortSignal;
}

describe('a write that completes too late', () => {
  it('is reported as news, because its writer would otherwise compete against its own record forever (L4)', async () => {
    await using directory = await tempDirectory();
    await using member = openMember(directory.path);
    await member.opened();
    const { incarnation } = member.host;
    const place = {
      group: 'g',
      partition: 0,
      after: null,
      height: 0,
      thresholdMs: 1000,
      token: 1n,
    };
    await member.ledger.write(
      { ...place, id: `m/${incarnation}/1`, member: 'm', incarnation, kind: 'hold' },
      abortsMidway(),
    );
    const reported = await eventually('the record is reported', () => member.current());
    expect(reported.id).toBe(`m/${incarnation}/1`);
  });

  it('is reported as news to an engine with an older record, whose writes would otherwise all be refused', async () => {
    await using directory = await tempDirectory();
    await using member = openMember(directory.path);
    await member.opened();
    const { incarnation } = member.host;
    const own = {
      group: 'g',
      partition: 0,
      after: null,
      height: 0,
      thresholdMs: 1000,
      token: 1n,
      member: 'm',
      incarnation,
      kind: 'hold',
    };
    const { signal } = new AbortController();
    expect(await member.ledger.write({ ...own, id: `m/${incarnation}/1` }, signal)).toBe(
      'in-effect',
    );
    expect(await member.ledger.write({ ...own, id: `m/${incarnation}/2` }, signal)).toBe('refused');
    const reported = await eventually('the record is reported', () => member.current());
    expect(reported.id).toBe(`m/${incarnation}/1`);
  });
});
