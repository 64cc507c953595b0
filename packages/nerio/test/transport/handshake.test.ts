import { keyringOf } from '@leadership/peer';
import { describe, expect, test } from 'vitest';
import { readRefusal, refusalOf } from '../../src/transport/frames/frame.ts';
import { beat, credentialsOf, cut, greeted, keys, pairOf, said, secret } from '../support/wire.ts';

const ping = { kind: 'ping', beat: 7 } as const;
const keyed = [
  ['without keys', undefined],
  ['with a key', keys],
] as const;

describe.each(keyed)('%s', (_, own) => {
  const a = credentialsOf('a', { keys: own });
  const b = credentialsOf('b', { keys: own });

  test('two members learn the identity of the other, and exchange messages', () => {
    const pair = pairOf(a, b);
    const session = greeted(pair);
    expect(session.peer).toEqual(b.self);
    expect(pair.called.peer).toBeUndefined();
    expect(pair.called.receive(beat(session, 1))).toEqual({ kind: 'beat', beat: 1 });
    expect(pair.called.peer).toEqual(a.self);
    const messages = { epoch: 4, items: [ping, { ...ping, beat: 8 }] };
    expect(pair.called.receive(said(session, messages.items))).toEqual({
      kind: 'messages',
      messages,
    });
    const echo = pair.called.session?.writer.write('echo', (to) => to.uint(1));
    expect(session.reader.read(cut(echo ?? Buffer.alloc(4)))).toMatchObject({ kind: 'echo' });
  });

  test.each([
    ['of another group', credentialsOf('a', { keys: own, group: 'other' }), 'wrong-group'],
    ['with the name of the called member', credentialsOf('b', { keys: own }), 'misdirected'],
  ])('a caller is not answered %s', (__, caller, why) => {
    const { call, called } = pairOf(caller, b);
    expect(called.receive(cut(call.hello))).toEqual({ kind: 'drop', why });
  });

  test('a call for another member is not answered', () => {
    const { call } = pairOf(a, credentialsOf('c', { keys: own }));
    expect(pairOf(a, b).called.receive(cut(call.hello))).toEqual({
      kind: 'drop',
      why: 'misdirected',
    });
  });

  test('an answer by another member than the called one is refused', () => {
    const { call } = pairOf(a, b);
    const { called } = pairOf(a, credentialsOf('c', { keys: own }));
    const toC = pairOf(a, credentialsOf('c', { keys: own })).call;
    const received = called.receive(cut(toC.hello));
    expect(received.kind).toBe('hello');
    const answered = received.kind === 'hello' ? call.answered(cut(received.welcome)) : undefined;
    // Signed over another hello, where there is a key.
    expect(answered).toBe(own ? 'forged' : 'misdirected');
  });

  test('the first byte identifies a frame of another version', () => {
    const { call, called } = pairOf(a, b);
    const hello = Buffer.from(cut(call.hello));
    hello[0] = 2;
    expect(called.receive(hello)).toEqual({ kind: 'drop', why: 'wrong-version' });
  });

  test('a member with another pin is reported, and its messages are dropped (R3)', () => {
    const pair = pairOf(credentialsOf('a', { keys: own, pin: { partitions: 4 } }), b);
    const session = greeted(pair);
    expect(session.peer.pin).toEqual({ partitions: 3 });
    expect(pair.called.receive(said(session, [ping]))).toEqual({
      kind: 'drop',
      why: 'pin-differs',
    });
    expect(pair.called.peer?.pin).toEqual({ partitions: 4 });
  });

  test('a frame that repeats, follows a gap, or belongs to another connection is dropped', () => {
    const pair = pairOf(a, b);
    const session = greeted(pair);
    const first = beat(session, 1);
    expect(pair.called.receive(first).kind).toBe('beat');
    expect(pair.called.receive(first)).toEqual({ kind: 'drop', why: 'replayed' });
    beat(session, 2);
    expect(pair.called.receive(beat(session, 3))).toEqual({ kind: 'drop', why: 'replayed' });
    const other = pairOf(a, b, 2);
    greeted(other);
    // Without a key no field distinguishes one connection from another.
    expect(other.called.receive(first)).toEqual(
      own ? { kind: 'drop', why: 'forged' } : { kind: 'beat', beat: 1 },
    );
  });

  test('no message is read before the greeting, and no greeting after it', () => {
    const pair = pairOf(a, b);
    expect(pair.called.receive(beat(greeted(pairOf(a, b, 3)), 1))).toMatchObject({ kind: 'drop' });
    const session = greeted(pair);
    expect(pair.called.receive(cut(pairOf(a, b).call.hello))).toMatchObject({ kind: 'drop' });
    const welcome = cut(session.writer.write('welcome', () => undefined));
    expect(pair.called.receive(welcome)).toEqual({ kind: 'drop', why: 'malformed' });
  });

  test('a frame without messages, or with bytes after the beat, is malformed', () => {
    const pair = pairOf(a, b);
    const session = greeted(pair);
    expect(pair.called.receive(cut(session.writer.write('messages', (to) => to.uint(4))))).toEqual({
      kind: 'drop',
      why: 'malformed',
    });
    expect(
      pair.called.receive(cut(session.writer.write('beat', (to) => to.raw(Buffer.from([1, 1]))))),
    ).toEqual({
      kind: 'drop',
      why: 'malformed',
    });
  });

  test('a caller receives the reason of the refusal', () => {
    const { call } = pairOf(a, b);
    const refusal = refusalOf('wrong-group');
    expect(call.answered(cut(refusal ?? Buffer.alloc(4)))).toEqual({ refused: 'wrong-group' });
    expect(refusalOf('wrong-epoch')).toBeUndefined();
    expect(readRefusal(Buffer.from([0, 250]))).toBeUndefined();
  });
});

describe('keys', () => {
  const k2 = 'another secret of sixteen bytes or more';
  const b = credentialsOf('b', { keys });
  const helloOf = (own: Parameters<typeof credentialsOf>[1]): Buffer =>
    cut(pairOf(credentialsOf('a', own), b).call.hello);

  test.each([
    ['with another secret under the same id', { keys: { sign: 'k1', accept: { k1: k2 } } }],
    ['with a key that is not accepted', { keys: { sign: 'k2', accept: { k2 } } }],
    ['without a key', {}],
  ])('a caller %s is not answered', (_, own) => {
    expect(pairOf(credentialsOf('a'), b).called.receive(helloOf(own))).toEqual({
      kind: 'drop',
      why: 'forged',
    });
  });

  test('a member without keys does not answer one with keys', () => {
    const { call, called } = pairOf(credentialsOf('a', { keys }), credentialsOf('b'));
    expect(called.receive(cut(call.hello))).toEqual({ kind: 'drop', why: 'forged' });
  });

  test('an answer is accepted only with a key that the caller accepts', () => {
    const pair = pairOf(
      credentialsOf('a', { keys }),
      credentialsOf('b', { keys: { sign: 'k2', accept: { k2, k1: secret } } }),
    );
    const received = pair.called.receive(cut(pair.call.hello));
    expect(received.kind === 'hello' && pair.call.answered(cut(received.welcome))).toBe('forged');
  });

  test('rotate: while both members accept both keys, each may sign with a different one', () => {
    const accept = { k1: secret, k2 };
    const pair = pairOf(
      credentialsOf('a', { keys: { sign: 'k2', accept } }),
      credentialsOf('b', { keys: { sign: 'k1', accept } }),
    );
    const session = greeted(pair);
    expect(pair.called.receive(beat(session, 1))).toEqual({ kind: 'beat', beat: 1 });
    for (const one of [session, pair.called.session]) {
      expect(one?.isInForce(keyringOf({ sign: 'k1', accept }))).toBe(true);
      expect(one?.isInForce(keyringOf({ sign: 'k2', accept: { k2 } }))).toBe(false);
      expect(one?.isInForce(keyringOf({ sign: 'k1', accept: { k1: secret } }))).toBe(false);
      expect(one?.isInForce(keyringOf({ sign: 'k1', accept: { k1: secret, k2: secret } }))).toBe(
        false,
      );
    }
    const echo = pair.called.session?.writer.write('echo', (to) => to.uint(1));
    expect(session.reader.read(cut(echo ?? Buffer.alloc(4)))).toMatchObject({ kind: 'echo' });
  });

  test('a recorded call is answered, but the frames after it are dropped', () => {
    const recorded = pairOf(credentialsOf('a', { keys }), b);
    const session = greeted(recorded);
    const proof = beat(session, 1);
    const replay = pairOf(credentialsOf('a', { keys }), b, 2);
    expect(replay.called.receive(cut(recorded.call.hello)).kind).toBe('hello');
    expect(replay.called.receive(proof)).toEqual({ kind: 'drop', why: 'forged' });
    expect(replay.called.peer).toBeUndefined();
  });

  test('a frame cannot be reflected to its sender', () => {
    const pair = pairOf(credentialsOf('a', { keys }), b);
    const session = greeted(pair);
    expect(session.reader.read(beat(session, 1))).toBe('forged');
  });

  test('every byte of a frame is signed', () => {
    const pair = pairOf(credentialsOf('a', { keys }), b);
    const { hello } = pair.call;
    for (let at = 4; at < hello.length; at += 1) {
      const changed = Buffer.from(cut(hello));
      changed[at - 4] = (changed[at - 4] ?? 0) ^ 1;
      expect(pairOf(credentialsOf('a', { keys }), b).called.receive(changed).kind).toBe('drop');
    }
    const session = greeted(pair);
    const frame = said(session, [ping]);
    for (let at = 0; at < frame.length; at += 1) {
      const changed = Buffer.from(frame);
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(pair.called.receive(changed).kind).toBe('drop');
    }
    expect(pair.called.receive(frame).kind).toBe('messages');
  });

  test.each([
    [{ sign: 'k1', accept: { k1: 'too short' } }, /"k1" has 9 bytes; it must have at least 16/],
    [
      { sign: 'k2', accept: { k1: secret } },
      /keys\.sign is "k2"; it must be one of the ids in keys\.accept: k1/,
    ],
    [
      { sign: 'x'.repeat(33), accept: { ['x'.repeat(33)]: secret } },
      /is 33 bytes; it must be 1 to 32/,
    ],
    [{ sign: '', accept: { '': secret } }, /the key id "" is 0 bytes/],
    [{ sign: 'k1', accept: {} }, /keys\.accept: none/],
  ])('that cannot work are refused, and the error does not contain them: %o', (own, sentence) => {
    expect(() => keyringOf(own)).toThrow(sentence);
    expect(() => keyringOf(own)).not.toThrow(secret);
  });
});
