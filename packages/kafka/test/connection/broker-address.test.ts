import { describe, expect, it } from 'vitest';
import { parseAddress } from '../../src/connection/broker-address.ts';

describe('the address of a broker', () => {
  it.each([
    ['broker-1:9093', 'broker-1', 9093],
    ['broker-1', 'broker-1', 9092],
    ['[::1]:9093', '::1', 9093],
    ['[fe80::1]', 'fe80::1', 9092],
    ['10.0.0.1', '10.0.0.1', 9092],
  ])('%s is host and port; the port is 9092 unless it says another', (address, host, port) => {
    expect(parseAddress(address)).toEqual({ host, port });
  });

  it.each(['', ':9092', '::1', 'broker:', 'broker:port', 'broker:65536', 'kafka://broker:9092'])(
    '%j is refused by name',
    (address) => {
      expect(() => parseAddress(address)).toThrow(
        expect.objectContaining({
          code: 'invalid-options',
          message: expect.stringContaining(`"${address}"`),
        }),
      );
    },
  );
});
