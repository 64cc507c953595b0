import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatEvent, parseEvent } from '../../src/processes/event-json.ts';

const instant = fc.bigInt({ min: 0n, max: 2n ** 63n });

test('an event survives encoding as a line of text', () => {
  const event = fc.record(
    {
      atNs: instant,
      member: fc.string(),
      life: fc.uuid(),
      kind: fc.constantFrom('acquired', 'fenced', 'health'),
      partition: fc.nat(),
      token: instant,
      untilNs: instant,
      ledNs: instant,
      detail: fc.string(),
    },
    { requiredKeys: ['atNs', 'member', 'life', 'kind'] },
  );
  fc.assert(
    fc.property(event, (one) => {
      const line = formatEvent(one);
      expect(line).not.toContain('\n');
      expect(parseEvent(line)).toEqual({ ...one });
    }),
  );
});
