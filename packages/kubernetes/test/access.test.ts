// How a member finds the API server.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accessOf, type FindAccess } from '../src/access.ts';

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'leadership-access-'));
});
afterAll(() => rm(directory, { recursive: true }));

const never = (): AbortSignal => new AbortController().signal;
describe('in a pod', () => {
  const inPod = (host: string): FindAccess =>
    accessOf(
      {},
      {
        env: { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: '6443' },
        serviceAccount: directory,
      },
    );

  it('reads the service account for each request, because its token rotates', async () => {
    await writeFile(join(directory, 'ca.crt'), 'CA');
    await writeFile(join(directory, 'namespace'), 'shop');
    const find = inPod('10.0.0.1');
    for (const token of ['first', 'second']) {
      await writeFile(join(directory, 'token'), `${token}\n`);
      expect(await find(never())).toEqual({
        server: 'https://10.0.0.1:6443',
        tls: { ca: 'CA' },
        token,
        namespace: 'shop',
      });
    }
    expect(await inPod('fd00::1')(never())).toMatchObject({ server: 'https://[fd00::1]:6443' });
    await rm(join(directory, 'token'));
    await expect(find(never())).rejects.toMatchObject({
      code: 'misconfigured-backend',
      message: expect.stringContaining('set automountServiceAccountToken'),
    });
  });

  it('says what to do outside of one', async () => {
    const find = accessOf({}, { env: {}, serviceAccount: directory });
    await expect(find(never())).rejects.toMatchObject({
      code: 'misconfigured-backend',
      message: expect.stringContaining('run kubectl proxy, and set server'),
    });
  });
});

it('takes the options for each request', async () => {
  const tokens = ['first', 'second'];
  const find = accessOf({ server: 'https://k', token: () => tokens.shift() ?? '' });
  for (const token of ['first', 'second'])
    expect(await find(never())).toEqual({ server: 'https://k', tls: {}, token });
});
