import { describe, expect, test } from 'vitest';
import { requestFrom } from '../../src/cli/settings.ts';
import { simulations } from '../../src/cli/simulations.ts';
import { mutants } from '../../src/rows/mutants.ts';
import { usualSize } from '../../src/rows/scenario.ts';

describe('the simulate command', () => {
  test('parses a run', () => {
    const request = requestFrom([
      '--protocol',
      'rows',
      '--hours',
      '0.5',
      '--seed',
      '7',
      '--nodes',
      '5',
      '--json',
    ]);
    expect(request).toEqual({
      kind: 'run',
      settings: {
        protocol: simulations[0],
        seed: 7,
        hours: 0.5,
        mutant: undefined,
        size: { ...usualSize, nodes: 5 },
        json: true,
      },
    });
  });

  test.each(simulations.map((protocol) => [protocol.name, protocol] as const))(
    'finds every mutant of %s by name',
    (name, protocol) => {
      for (const mutant of protocol.mutants) {
        expect(requestFrom(['--protocol', name, '--mutant', mutant.name])).toMatchObject({
          kind: 'run',
          settings: { protocol, mutant },
        });
      }
    },
  );

  test('lists the mutants of the given protocol, or of leases by session by default', () => {
    expect(requestFrom(['--list-mutants'])).toMatchObject({
      kind: 'list-mutants',
      protocol: { name: 'rows', mutants },
    });
    expect(requestFrom(['--protocol', 'nerio-skew', '--list-mutants'])).toMatchObject({
      protocol: { name: 'nerio-skew' },
    });
  });

  test.each([
    [['--protocol', 'raft'], 'raft'],
    [['--mutant', 'nobody'], '--list-mutants'],
    [['--scenario', 'sunny'], 'reads-first'],
    [['--hours', 'many'], '--hours many must be a number'],
    [['--hours', '0'], '--hours 0 must be a number from'],
    [['--seed', '1.5'], '--seed 1.5 must be a whole number'],
    [['--nodes', '99'], '--nodes 99 must be a whole number from 1 to 9'],
    [['--partitions'], 'partitions'],
    [['--speed', '9'], '--speed'],
    [['now'], 'now'],
  ])('reports the error in %j', (args, part) => {
    expect(requestFrom(args)).toContain(part);
  });
});
