import { describe, expect, it } from 'vitest';
import { settingsFrom } from '../../src/demo/settings.ts';

describe('the command line of the demo', () => {
  it('defaults to three crashes on the file backend', () => {
    expect(settingsFrom([])).toEqual({ backend: 'file', trials: 3, json: false });
  });

  it('accepts a backend, a number of trials and --json', () => {
    expect(settingsFrom(['--backend', 'gossip', '--trials=5', '--json'])).toEqual({
      backend: 'gossip',
      trials: 5,
      json: true,
    });
  });

  it.each([
    [
      ['--backend', 'redis'],
      'unknown backend "redis": known are file, kafka, kinesis, nerio, and gossip',
    ],
    [['--trials', 'many'], '--trials many must be a whole number from 0 to 1000'],
    [['--trials', '-1'], 'argument is ambiguous'],
    [['--loud'], "Unknown option '--loud'"],
    [['more'], "Unexpected argument 'more'"],
  ])('rejects %j and states the reason', (args, words) => {
    expect(settingsFrom(args)).toContain(words);
  });
});
