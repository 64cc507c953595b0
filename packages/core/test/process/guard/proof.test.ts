import { describe, expect, it } from 'vitest';
import { type Observation, provesDeath } from '../../../src/process/guard/proof.ts';

describe('a proof of death (L13)', () => {
  const proof: Observation = {
    isIdentified: true,
    end: 'there',
    saidGoodbye: false,
    address: 'refuses',
    process: 'ended',
  };

  it.each<[string, Partial<Observation>, boolean]>([
    ['both descriptors were closed', {}, true],
    ['the process cannot be asked for', { process: 'unknown' }, true],
    ['the process still runs', { process: 'runs' }, false],
    ['no incarnation was named', { isIdentified: false }, false],
    ['the connection is open', { end: 'open' }, false],
    ['the guard closed the connection', { end: 'here' }, false],
    ['the connection was reset', { end: 'error' }, false],
    ['the member said goodbye', { saidGoodbye: true }, false],
    ['the address accepts', { address: 'accepts' }, false],
    ['the socket is missing', { address: 'missing' }, false],
    ['the address did not answer', { address: 'unknown' }, false],
  ])('%s: %j → %s', (_what, change, isProof) => {
    expect(provesDeath({ ...proof, ...change })).toBe(isProof);
  });
});
