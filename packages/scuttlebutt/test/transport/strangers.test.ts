// The datagrams that a socket of a stranger can make a member send, and their receivers. With keys
// it can only repeat what it has recorded; without keys it can write anything in any name.
import { ByteWriter } from '@leadership/peer';
import { describe, expect, test } from 'vitest';
import type { Message } from '../../src/protocol.ts';
import { writeMessage } from '../../src/transport/codec/message-form.ts';
import { type Envelope, openEnvelope } from '../../src/transport/envelope.ts';
import {
  datagram,
  keyring,
  keys,
  message,
  open,
  pin,
  reply,
  stranger,
  tag,
} from '../support/sockets.ts';

function content(of: Message): Buffer {
  const writer = new ByteWriter();
  writeMessage(writer, of);
  return Buffer.from(writer.bytes());
}

function opened(bytes: Buffer, isSigned: boolean): Envelope {
  const envelope = openEnvelope(tag, isSigned ? keyring : undefined, bytes);
  if (typeof envelope === 'string') throw new Error(envelope);
  return envelope;
}

const sizeOf = (arrived: readonly Buffer[]): number =>
  arrived.reduce((sum, { length }) => sum + length, 0);

describe.each([true, false])('an address that is not proved (with keys: %s)', (isSigned) => {
  const options = isSigned ? { keys } : {};

  test('is sent at most the bytes that arrived in its name, until it returns its cookie', async () => {
    const [a, victim, attacker] = [await open(options), await stranger(), await stranger()];
    const question = datagram(
      victim.name,
      a.name,
      { content: content(message(victim.name)) },
      isSigned,
    );
    for (let time = 1; time <= 20; time += 1) {
      attacker.send(a.name, question);
      await expect.poll(() => a.received.length).toBe(time);
      // The machine answers with more, three times, and also pushes what it likes.
      for (const size of [1, 10, 30]) a.transport.send(victim.name, reply(a.name, size));
      a.transport.send(victim.name, message(a.name, 20));
    }
    await expect.poll(() => victim.arrived.length).toBeGreaterThan(0);
    // One question a second may be asked besides.
    const asked = datagram(a.name, victim.name, {}, isSigned).length;
    expect(sizeOf(victim.arrived)).toBeLessThanOrEqual(20 * question.length + 2 * asked);
    expect(attacker.arrived).toEqual([]);
    const { cookie: echo } = opened(victim.arrived[0] ?? Buffer.alloc(0), isSigned);
    const before = sizeOf(victim.arrived);
    victim.send(a.name, datagram(victim.name, a.name, { echo }, isSigned));
    await expect
      .poll(() => {
        a.transport.send(victim.name, reply(a.name, 30));
        return sizeOf(victim.arrived) - before;
      })
      .toBeGreaterThan(5000);
  });

  test('gets its own cookie back if it asks, in at most as many bytes', async () => {
    const [a, newcomer] = [await open(options), await stranger()];
    const question = datagram(newcomer.name, a.name, { cookie: Buffer.alloc(8, 5) }, isSigned);
    newcomer.send(a.name, question);
    await expect.poll(() => newcomer.arrived.length).toBe(1);
    const answer = newcomer.arrived[0] ?? Buffer.alloc(0);
    expect(answer.length).toBeLessThanOrEqual(question.length);
    expect(opened(answer, isSigned).echo).toEqual(Buffer.alloc(8, 5));
    // An answer is not answered, or two members would never stop.
    const { cookie: echo } = opened(answer, isSigned);
    newcomer.send(a.name, datagram(newcomer.name, a.name, { echo }, isSigned));
    newcomer.send(
      a.name,
      datagram(newcomer.name, a.name, { content: content(message(newcomer.name)) }, isSigned),
    );
    await expect.poll(() => a.received.length).toBe(1);
    expect(newcomer.arrived.length).toBe(1);
  });

  test('of the configuration is sent an answer of at most as many bytes, and messages at a bounded rate', async () => {
    const [victim, attacker] = [await stranger(), await stranger()];
    const a = await open(options, { configured: [victim.name] });
    const question = datagram(
      victim.name,
      a.name,
      { content: content(message(victim.name)) },
      isSigned,
    );
    attacker.send(a.name, question);
    await expect.poll(() => a.received.length).toBe(1);
    for (let time = 0; time < 10; time += 1) a.transport.send(victim.name, reply(a.name, 30));
    await expect.poll(() => victim.arrived.length).toBeGreaterThan(0);
    expect(sizeOf(victim.arrived)).toBeLessThanOrEqual(2 * question.length);
    victim.arrived.length = 0;
    const began = performance.now();
    for (let time = 0; time < 500; time += 1) a.transport.send(victim.name, message(a.name, 5));
    const seconds = 1 + (performance.now() - began) / 1000;
    await expect.poll(() => victim.arrived.length).toBeGreaterThan(45);
    const large = victim.arrived.filter(({ length }) => length > 2 * question.length);
    expect(large.length).toBeLessThanOrEqual(50 * seconds);
  });
});

describe('a message whose envelope and row name different members', () => {
  test('is dropped: a member would write entries of another one (S1)', async () => {
    const [a, member] = [await open(), await stranger()];
    const foreign = content(message('127.0.0.1:1'));
    member.send(a.name, datagram(member.name, a.name, { content: foreign }));
    await expect.poll(() => a.dropped).toEqual(['malformed']);
    expect(a.received).toEqual([]);
  });
});

describe('a message of another configuration (R4)', () => {
  const other = 'ef'.repeat(16);

  test('counts only if it is fresh: a recorded one would keep members from starting', async () => {
    const [a, member] = [await open(), await stranger()];
    const recorded = datagram(member.name, a.name, {
      content: content({ ...message(member.name), pin: other }),
    });
    member.send(a.name, recorded);
    await expect.poll(() => a.dropped).toEqual(['unproved']);
    expect(a.received).toEqual([]);
    // A living member has to return its cookie, and its next message is accepted.
    await expect.poll(() => member.arrived.length).toBe(1);
    const { cookie: echo } = opened(member.arrived[0] ?? Buffer.alloc(0), true);
    const fresh = { echo, content: content({ ...message(member.name), pin: other }) };
    member.send(a.name, datagram(member.name, a.name, fresh));
    await expect.poll(() => a.received.map((one) => one.pin)).toEqual([other]);
    // Of the own configuration no proof is needed, and the receiver knows that there is none.
    const own = await stranger();
    own.send(a.name, datagram(own.name, a.name, { content: content(message(own.name)) }));
    await expect.poll(() => a.received.map((one) => one.pin)).toEqual([other, pin]);
    expect(a.proved).toEqual([true, false]);
  });
});
