import { describe, expect, test } from 'vitest';
import { forgeries, liesToGroup, limits, slips, type Tally } from '../support/fuzz.ts';
import { message, open, stranger } from '../support/sockets.ts';

/** The number of datagrams here; the soak test has ten million. */
const count = 20_000;

const sum = (tally: Tally): number => Object.values(tally).reduce((all, one) => all + one, 0);

describe('hostile datagrams', () => {
  test.each([1, 2])('of a sender without a key are never accepted (seed %i)', (seed) => {
    const tally: Tally = {};
    const source = forgeries(seed, tally);
    for (let datagram = 0; datagram < count; datagram += 1) source.next();
    expect(tally['accepted']).toBeUndefined();
    expect(sum(tally)).toBe(count);
    for (const why of ['forged', 'wrong-group', 'malformed'])
      expect(tally[why], why).toBeGreaterThan(count / 400);
  });

  test.each([1, 2])(
    'of a member are read only if a writer can have written them (seed %i)',
    (seed) => {
      const tally: Tally = {};
      const source = slips(seed, tally);
      for (let datagram = 0; datagram < count / 2; datagram += 1) source.next();
      expect(sum(tally)).toBe(count / 2);
      expect(tally['malformed']).toBeGreaterThan(count / 8);
    },
  );

  test('of a member do not fill the others, and a group elects again afterwards', () => {
    const tally: Tally = {};
    const { stored, elects } = liesToGroup(1, 1500, tally);
    expect(tally['read']).toBeGreaterThan(500);
    for (const { nodes, forgotten, keys, heard } of stored) {
      expect(nodes).toBeLessThanOrEqual(limits.nodesMax + 3);
      expect(forgotten).toBeLessThanOrEqual(4 * limits.nodesMax);
      expect(keys).toBeLessThanOrEqual(limits.keysMax);
      expect(heard).toBeLessThanOrEqual(3);
    }
    expect(elects).toBe(true);
  });

  test('on a real socket are not answered, and members go on', async () => {
    const a = await open();
    const b = await open(undefined, { configured: [a.name] });
    const attacker = await stranger();
    const source = forgeries(3, {});
    const datagrams = 2000;
    for (let sent = 0; sent < datagrams; sent += 100) {
      for (let index = 0; index < 100; index += 1) {
        const { value } = source.next();
        if (value) attacker.send(a.name, value);
      }
      // A socket's buffer is short: give the member the time to read.
      await expect.poll(() => a.dropped.length, { interval: 1 }).toBeGreaterThan(sent / 2);
    }
    await expect
      .poll(() => {
        b.transport.send(a.name, message(b.name));
        return a.received.length;
      })
      .toBeGreaterThan(0);
    expect(a.received.every(({ from }) => from.name === b.name)).toBe(true);
    expect(new Set(a.dropped)).not.toContain('flood');
    expect([...attacker.arrived, ...a.failed]).toEqual([]);
  });
});
