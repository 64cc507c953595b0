import { describe, expect, it } from 'vitest';
import { ownOptions } from '../../src/adapter/own-options.ts';
import { resolveOptions } from '../../src/adapter/resolve-options.ts';
import type { SourceOptions } from '../../src/contract/options.ts';

interface Options extends SourceOptions {
  readonly servers: readonly string[];
  readonly bucket?: string;
  readonly copies?: number;
  readonly create?: boolean;
  readonly password?: string;
  readonly tls?: boolean | object;
  readonly files?: object;
}

const own = ownOptions<Options>(
  {
    servers: 'hosts',
    bucket: 'name',
    copies: 'number',
    create: 'boolean',
    password: 'secret',
    tls: 'tls',
    files: 'certificates',
  },
  ['handshakeFirst'],
);
const servers = ['a', 'b:1', '[::1]:2'];

describe('the options of an adapter', () => {
  it('are set by a URL unless they are lists, secrets or certificates', () => {
    expect(own.parameters).toEqual({
      bucket: 'string',
      copies: 'number',
      create: 'boolean',
      tls: 'boolean',
    });
  });

  it('are absent, or of their kind', () => {
    for (const options of [
      { servers },
      { servers, bucket: 'b', copies: 3, create: false, password: () => 'p', tls: true },
      { servers, tls: { servername: 'a', handshakeFirst: true }, files: () => ({}) },
    ])
      expect(() => own.check(options)).not.toThrow();
  });

  it.each([
    ['servers must be a list', {}],
    ['server 1 must be HOST or HOST:PORT', { servers: ['a://b'] }],
    ['bucket "" must be a name', { servers, bucket: '' }],
    ['copies 3 must be of type number', { servers, copies: '3' }],
    ['create no must be of type boolean', { servers, create: 'no' }],
    ['password must be a text', { servers, password: 7 }],
    ['tls has no option cat; did you mean ca?', { servers, tls: { cat: '' } }],
    ['files must be an object with certificates', { servers, files: true }],
  ])('are refused: %s', (message, options) => {
    expect(() => own.check(options)).toThrow(message);
  });

  it('are known where the options of a source are completed, and no others', () => {
    const limits = { own: own.names };
    const given = { group: 'g', servers, bucket: 'b' };
    expect(resolveOptions(given, limits)).toMatchObject({ group: 'g' });
    expect(resolveOptions(given, limits)).not.toHaveProperty('servers');
    expect(() => resolveOptions({ ...given, buckt: 'b' } as never, limits)).toThrow(
      'unknown option buckt; did you mean bucket?',
    );
  });
});
