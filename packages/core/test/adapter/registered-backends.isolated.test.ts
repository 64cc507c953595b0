import { type BackendModule, registerBackend } from '@leadership/core/adapter';
import { describe, expect, it } from 'vitest';
import { openLeadership } from '../../src/index.ts';
import { memoryGroup } from '../../src/memory.ts';

const acme: BackendModule = {
  scheme: 'acme',
  parameters: { zone: 'string' },
  open: (address, options) =>
    memoryGroup(`${address.path}@${address.parameters['zone']}`).join(options),
};

describe('registerBackend', () => {
  it('makes a registered backend available by URL, with its own query parameters', async () => {
    registerBackend(acme);
    await using source = await openLeadership('acme:billing?zone=1');
    expect(source.group).toBe('billing@1');
  });

  it('accepts the same backend twice, and names the scheme of a conflicting one', () => {
    registerBackend(acme);
    expect(() => registerBackend({ ...acme })).toThrow(
      'registerBackend: scheme "acme" already has another backend; register only one per scheme',
    );
  });

  it.each([{ ...acme, scheme: 'Acme' }, { ...acme, scheme: '' }, { ...acme, open: undefined }, {}])(
    'refuses %j',
    (backend) => {
      expect(() => registerBackend(backend as unknown as BackendModule)).toThrow(
        'register what the adapter exports as `backend`',
      );
    },
  );

  it('takes precedence over the package of the scheme', async () => {
    const load = (): Promise<never> => Promise.reject(new Error('not to be loaded'));
    registerBackend({ ...acme, scheme: 'kafka' });
    await using source = await openLeadership('kafka:local?zone=2', { load });
    expect(source.group).toBe('local@2');
  });

  it('suggests a registered scheme for a misspelt one', async () => {
    registerBackend(acme);
    await expect(openLeadership('acmee:x')).rejects.toThrow(
      'no backend for acmee:; did you mean acme:?',
    );
  });
});
