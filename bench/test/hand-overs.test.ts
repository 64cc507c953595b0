import { expect, it } from 'vitest';
import { handOvers, type Resigner } from '../src/process/hand-overs.ts';
import type { MemberMessage } from '../src/process/tracked-member.ts';

/** A member that answers at once; `atNs` holds the time of each kind of message. */
function memberThatReports(atNs: Readonly<Record<string, string>>): Resigner {
  const messageOf = (kind: string): MemberMessage => {
    const at = atNs[kind];
    return { kind, ...(at !== undefined && { atNs: at }) };
  };
  return {
    next: (kind) => Promise.resolve(messageOf(kind)),
    send: () => undefined,
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}

const rest = (): Promise<void> => Promise.resolve();

it('measures each hand-over from the resignation to the other leader', async () => {
  const start = () => memberThatReports({ resigning: '1000000', leading: '3500000' });
  expect(await handOvers({ start, rest }, 2)).toEqual([2.5, 2.5]);
});

it.each([
  ['resigning', { leading: '3500000' }],
  ['leading', { resigning: '1000000' }],
])('rejects if the message "%s" has no time', async (kind, atNs) => {
  const start = () => memberThatReports(atNs);
  await expect(handOvers({ start, rest }, 1)).rejects.toThrow(`message "${kind}" has no atNs`);
});
