import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Beat } from '../src/beat.ts';
import { formatBeat, parseBeat } from '../src/beat-envelope.ts';

/** Beats as past releases wrote them. Every later release must parse them with the same meaning. */
const frozen = {
  leading:
    '{"group":"billing","partition":3,"id":"a/5f0c/3.7","member":"a","incarnation":"5f0c","sequence":7,"standing":"leading","token":"1700000000000000","generation":4,"partitions":8,"thresholdMs":10000,"metadata":{"url":"http://a:80"}}',
  present:
    '{"group":"billing","partition":3,"id":"b/77aa/3.1","member":"b","incarnation":"77aa","sequence":1,"standing":"present","token":"0","partitions":8,"thresholdMs":10000}',
  future:
    '{"version":7,"group":"billing","partition":3,"id":"c/x/1","member":"c","incarnation":"x","sequence":1,"standing":"yielding","token":"5","generation":"soon","partitions":8,"thresholdMs":2000.5,"metadata":{"url":"u","load":0.5},"signature":[]}',
};

const text = (change: Record<string, unknown>): string =>
  JSON.stringify({ ...JSON.parse(frozen.leading), ...change });

describe('the envelope of a beat', () => {
  it('keeps its meaning, whatever a later release adds', () => {
    expect(parseBeat(frozen.leading)).toEqual({
      group: 'billing',
      partition: 3,
      id: 'a/5f0c/3.7',
      member: 'a',
      incarnation: '5f0c',
      sequence: 7,
      standing: 'leading',
      token: 1700000000000000n,
      generation: 4,
      partitions: 8,
      thresholdMs: 10_000,
      metadata: { url: 'http://a:80' },
    });
    expect(parseBeat(frozen.present)).toMatchObject({ standing: 'present', token: 0n });
    expect(parseBeat(frozen.future)).toEqual({
      group: 'billing',
      partition: 3,
      id: 'c/x/1',
      member: 'c',
      incarnation: 'x',
      sequence: 1,
      standing: 'yielding',
      token: 5n,
      partitions: 8,
      thresholdMs: 2000.5,
      metadata: { url: 'u' },
    });
  });

  it.each([
    ['no JSON', 'beat'],
    ['half a beat', frozen.leading.slice(0, 80)],
    ['nothing', 'null'],
    ['a list', '[]'],
    ['no group', text({ group: undefined })],
    ['a partition below 0', text({ partition: -1 })],
    ['no sequence', text({ sequence: undefined })],
    ['half a partition', text({ partition: 1.5 })],
    ['a token that is a number', text({ token: 5 })],
    ['a token below 0', text({ token: '-5' })],
    ['a token beyond 63 bits', text({ token: '9223372036854775808' })],
    ['no threshold', text({ thresholdMs: null })],
    ['a threshold of 0', text({ thresholdMs: 0 })],
    ['a threshold of years', text({ thresholdMs: 1e12 })],
    ['no M', text({ partitions: undefined })],
    ['a standing that is not a string', text({ standing: true })],
  ])('is refused if it is not a beat: %s', (_what, line) => {
    expect(parseBeat(line)).toBeUndefined();
  });

  it('is equal after formatting and parsing', () => {
    const word = fc.string({ unit: 'grapheme' });
    const beats: fc.Arbitrary<Beat> = fc.record(
      {
        group: word,
        partition: fc.nat(),
        id: word,
        member: word,
        incarnation: word,
        sequence: fc.nat(),
        standing: fc.constantFrom('present', 'assigned', 'leading'),
        token: fc.bigInt(0n, 2n ** 63n - 1n),
        generation: fc.nat(),
        partitions: fc.nat(),
        thresholdMs: fc.double({ min: 1, max: 86_400_000, noNaN: true }),
        metadata: fc.dictionary(
          word.filter((name) => name !== '__proto__'),
          word,
        ),
      },
      {
        requiredKeys: [
          'group',
          'partition',
          'id',
          'member',
          'incarnation',
          'sequence',
          'standing',
          'token',
          'partitions',
          'thresholdMs',
        ],
      },
    );
    const reads = (beat: Beat): void => void expect(parseBeat(formatBeat(beat))).toEqual(beat);
    fc.assert(fc.property(beats, reads));
    const [beat] = fc.sample(beats, 1);
    expect(() => beat && formatBeat({ ...beat, token: 2n ** 63n })).toThrow(RangeError);
  });
});
