import { hasKubernetes, type LocalKubernetes, localKubernetes } from '@leadership/tools/kubernetes';
import { silenceTests, writerTests } from '@leadership/tools/rows';
import { afterAll, beforeAll, describe } from 'vitest';
import { openRows } from './support/open-rows.ts';

describe.runIf(await hasKubernetes())('requests to Kubernetes', () => {
  let kubernetes: LocalKubernetes;
  beforeAll(async () => {
    kubernetes = await localKubernetes();
  });
  afterAll(() => kubernetes[Symbol.asyncDispose]());

  silenceTests(
    ({ port, ...options }) =>
      openRows({ ...kubernetes, url: `https://127.0.0.1:${port}` }, options),
    () => Number(new URL(kubernetes.url).port),
  );

  writerTests((options) => openRows(kubernetes, options), false);
});
