import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { unsupportedNode } from '../../src/process/supported-node.ts';

describe('unsupportedNode', () => {
  it.each(['20.19.0', '20.20.2', '22.12.0', '22.20.0', '23.0.0', '24.1.0'])(
    'accepts Node %s',
    (version) => {
      expect(unsupportedNode(version)).toBeUndefined();
    },
  );

  it.each(['16.20.2', '18.20.8', '20.18.3', '21.7.3', '22.11.0'])(
    'refuses Node %s, and names the supported versions',
    (version) => {
      expect(unsupportedNode(version)).toBe(
        `@leadership/core does not run on Node ${version}; it needs Node ^20.19.0 or >=22.12.0. Update Node.js`,
      );
    },
  );

  it('matches the engines field of the package', () => {
    const manifest = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
    const { engines } = JSON.parse(manifest) as { readonly engines: { readonly node: string } };
    expect(engines.node).toBe('^20.19.0 || >=22.12.0');
  });

  it('accepts the Node that runs this test', () => {
    expect(unsupportedNode()).toBeUndefined();
  });
});
