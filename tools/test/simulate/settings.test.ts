import { mutants, usualSize } from '@leadership/testkit/simulation';
import { describe, expect, test } from 'vitest';
import { requestFrom } from '../../src/simulate/settings.ts';

describe('the simulate command', () => {
  test('runs what is asked for', () => {
    const request = requestFrom(['--protocol', 'ledger', '--hours', '0.5', '--seed', '7', '--nodes', '5', '--json']);
    expect(request).toEqual({
      kind: 'run',
      settings: { seed: 7, hours: 0.5, mutant: undefined, size: { ...usualSize, nodes: 5 }, json: true },
    });
  });

  test('knows every mutant by its name', () => {
    for (const mutant of mutants) expect(requestFrom(['--mutant', mutant.name])).toMatchObject({ kind: 'run', settings: { mutant } });
  });

  test.each([
    [['--protocol', 'raft'], 'raft'],
    [['--mutant', 'nobody'], '--list-mutants'],
    [['--hours', 'many'], '--hours many must be a number'],
    [['--hours', '0'], '--hours 0 must be a number from'],
    [['--seed', '1.5'], '--seed 1.5 must be a whole number'],
    [['--nodes', '99'], '--nodes 99 must be a whole number from 1 to 9'],
    [['--partitions'], 'partitions'],
    [['--speed', '9'], '--speed'],
    [['now'], 'now'],
  ])('says what is wrong with %j', (args, part) => {
    expect(requestFrom(args)).toContain(part);
  });
});
