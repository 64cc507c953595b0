import { expect, test } from 'vitest';
import { driftRules } from '../../src/protocol.ts';
import { relied } from '../support/third-party.ts';

const histories = 200_000;

test(`in ${histories} random histories, a third party relies on no member that does not lead (N12)`, () => {
  const { onOthers, onLeaders } = relied(driftRules, histories);
  expect(onOthers).toBe(0);
  expect(onLeaders).toBeGreaterThan(histories / 20);
});
