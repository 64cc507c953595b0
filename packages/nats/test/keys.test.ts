import { describe, expect, it } from 'vitest';
import { textOfToken, tokenOf } from '../src/keys.ts';

describe('a token of a key', () => {
  it.each([
    ['billing', 'billing'],
    ['partition#3', 'partition=233'],
    ['session#a-b/1', 'session=23a-b/1'],
    ['', '='],
    ['=', '=3D'],
    ['a.b', 'a=2Eb'],
    ['*', '=2A'],
    ['>', '=3E'],
    ['a b', 'a=20b'],
    ['é', '=C3=A9'],
    ['🙂', '=F0=9F=99=82'],
    ['\0', '=00'],
    ['50%', '50=25'],
  ])('of %j is %s, which leads back to it', (text, token) => {
    expect(tokenOf(text)).toBe(token);
    expect(textOfToken(token)).toBe(text);
    // The clients of NATS accept it as a part of a key.
    expect(token).toMatch(/^[-/=\w]+$/);
  });

  it.each(['=zz', '=2', '=61', '=c3=a9', '=FF', 'a=', '==', '%41', 'a*'])(
    '%s, which no member writes, is that of no text',
    (token) => {
      expect(textOfToken(token)).toBeUndefined();
    },
  );
});
