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

/** Options whose values may be functions. */
interface OptionsNow extends Omit<Options, 'bucket' | 'password' | 'files'> {
  readonly bucket: undefined;
  readonly password: () => string;
  readonly files: () => Promise<object>;
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

  it('are checked and completed with those of every source', () => {
    const partitions = { max: 4, backend: 'x' };
    const given = { group: 'g', servers, bucket: 'b' };
    expect(own.resolve(given, partitions)).toMatchObject({ group: 'g', thresholdMs: 3000 });
    expect(() => own.resolve({ ...given, partitions: 5 }, partitions)).toThrow(
      'partitions 5 is more than the 4',
    );
    const campaign = { partitionsMax: 1 };
    expect(() => own.resolve({ ...given, campaign }, partitions)).not.toThrow();
    const misspelt = { ...given, bucket: '' };
    expect(() => own.resolve(misspelt, partitions)).toThrow('bucket "" must be a name');
  });

  it('are as they are now, without functions and without those that have no value', async () => {
    const { signal } = new AbortController();
    const given: Partial<OptionsNow> = {
      servers,
      bucket: undefined,
      create: false,
      password: () => 'p',
      tls: true,
      files: async () => ({ ca: 'c' }),
    };
    const now = { servers, create: false, password: 'p', tls: {}, files: { ca: 'c' } };
    expect(await own.current(given, signal)).toEqual(now);
    expect(await own.current({ tls: false, password: 'q' }, signal)).toEqual({ password: 'q' });
    const failing = { password: () => Promise.reject(new Error('away')) };
    await expect(own.current(failing, signal)).rejects.toThrow(
      'the function password failed: away',
    );
    const wrong = { tls: () => 'x' };
    await expect(own.current(wrong, signal)).rejects.toThrow('the function tls returned a value');
  });
});
