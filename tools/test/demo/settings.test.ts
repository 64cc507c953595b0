import { describe, expect, it } from 'vitest';
import { settingsFrom } from '../../src/demo/settings.ts';

describe('the command line of the demo', () => {
  it('plays three crashes on the file backend unless told otherwise', () => {
    expect(settingsFrom([])).toEqual({ backend: 'file', trials: 3, json: false });
  });

  it('takes a backend, a number of trials and --json', () => {
    expect(settingsFrom(['--backend', 'memory', '--trials=5', '--json'])).toEqual({ backend: 'memory', trials: 5, json: true });
  });

  it.each([
    [['--backend', 'redis'], 'no backend is called "redis": there are file, memory, kafka, kinesis, and nerio'],
    [['--trials', 'many'], '--trials many must be a whole number from 0 to 1000'],
    [['--trials', '-1'], 'argument is ambiguous'],
    [['--loud'], "Unknown option '--loud'"],
    [['more'], "Unexpected argument 'more'"],
  ])('refuses %j with a sentence', (args, words) => {
    expect(settingsFrom(args)).toContain(words);
  });
});
