import { describe, expect, test } from 'vitest';
import { attack } from '../support/attack.ts';
import { forgeries, liesToGroup, limits, slips, type Tally } from '../support/fuzz.ts';
import { message, open, stranger } from '../support/sockets.ts';

/** The number of datagrams here; the soak test has ten million. */
const count = 5000;

const sum = (tally: Tally): number => Object.values(tally).reduce((all, one) => all + one, 0);

describe('hostile datagrams', () => {
  test('of a sender without a key are never accepted', () => {
    const tally: Tally = {};
    const source = forgeries(1, tally);
    for (let datagram = 0; datagram < count; datagram += 1) source.next();
    expect(tally['accepted']).toBeUndefined();
    expect(sum(tally)).toBe(count);
    for (const why of ['forged', 'wrong-group', 'malformed'])
      expect(tally[why], why).toBeGreaterThan(count / 400);
  });

  test('of a member are read only if a writer can have written them', () => {
    const tally: Tally = {};
    const source = slips(1, tally);
    for (let datagram = 0; datagram < count / 2; datagram += 1) source.next();
    expect(sum(tally)).toBe(count / 2);
    expect(tally['malformed']).toBeGreaterThan(count / 8);
  });

  test('of a member do not fill the others, and a group elects again afterwards', () => {
    const tally: Tally = {};
    const { stored, elects } = liesToGroup(1, 1000, tally);
    expect(tally['read']).toBeGreaterThan(333);
    for (const { nodes, forgotten, keys, contactedBy } of stored) {
      expect(nodes).toBeLessThanOrEqual(limits.nodesMax + 3);
      expect(forgotten).toBeLessThanOrEqual(4 * limits.nodesMax);
      expect(keys).toBeLessThanOrEqual(limits.keysMax);
      expect(contactedBy).toBeLessThanOrEqual(3);
    }
    expect(elects).toBe(true);
  });

  test('on the real socket of a leader are not answered, kept or read, and it leads on', async () => {
    const datagrams = 2000;
    const { dropped, received, answers, members, leads } = await attack(3, datagrams);
    expect({ received, answers, members, leads }).toEqual({
      received: 0,
      answers: 0,
      members: 1,
      leads: true,
    });
    // The system loses datagrams when this process does not get the processor.
    expect(sum(dropped)).toBeGreaterThan(datagrams / 2);
    // The reasons that follow after a valid signature are missing.
    expect(Object.keys(dropped).sort()).toEqual(['forged', 'malformed', 'wrong-group']);
    for (const why of ['forged', 'wrong-group', 'malformed'])
      expect(dropped[why], why).toBeGreaterThan(datagrams / 800);
  });

  test('do not keep members from reading those of others', async () => {
    const a = await open();
    const b = await open(undefined, { configured: [a.name] });
    const attacker = await stranger();
    const source = forgeries(4, {}, a.name);
    for (let index = 0; index < 100; index += 1) {
      const { value } = source.next();
      if (value) attacker.send(a.name, value);
    }
    await expect
      .poll(() => {
        b.transport.send(a.name, message(b.name));
        return a.received.length;
      })
      .toBeGreaterThan(0);
    expect(a.received.every(({ from }) => from.name === b.name)).toBe(true);
    expect(a.dropped.length).toBeGreaterThan(0);
    expect([...attacker.arrived, ...a.failed]).toEqual([]);
  });
});
