import { expect, it } from 'vitest';
import { PinnedValues, pinnedIn } from '../../src/engine/pinned-values.ts';
import { pinText } from '../../src/lease/records.ts';
import { MemoryStore } from '../../src/memory/memory-rows.ts';
import { rowsMember } from '../support/rows-member.ts';

it('a refusal by the pin has the values of the group as its cause, which its message quotes (R3)', async () => {
  const store = new MemoryStore();
  store.rows.put('pin', pinText(8, 3000, undefined, 'x'));
  const { source } = rowsMember(store, { campaign: false, log: false });
  const refusal: unknown = await source.ready().catch((error: unknown) => error);
  expect(refusal).toMatchObject({ code: 'partitions-differ', cause: expect.any(PinnedValues) });
  expect(pinnedIn(refusal)).toEqual({ partitions: 8, thresholdMsMax: 3000 });
  const { message, cause } = refusal as Error & { readonly cause: Error };
  expect(message).toContain(cause.message);
  await source.close();
});

it.each([
  [undefined],
  [new Error('x')],
  [new Error('x', { cause: { partitions: 8, thresholdMsMax: 3000 } })],
  [new Error('x', { cause: new PinnedValues('', { partitions: 'a' }) })],
])('nothing else says what a group has pinned: %s', (error) => {
  expect(pinnedIn(error)).toBeUndefined();
});
