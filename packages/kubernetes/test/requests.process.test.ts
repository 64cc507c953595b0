import { hasKubernetes, type LocalKubernetes, localKubernetes } from '@leadership/tools/kubernetes';
import { networkTests, silenceTests, writerTests } from '@leadership/tools/rows';
import { afterAll, beforeAll, describe } from 'vitest';
import { kubernetesLeadership } from '../src/index.ts';
import { namespace } from './support/administrator.ts';
import { openRows } from './support/open-rows.ts';

describe.runIf(await hasKubernetes())('requests to Kubernetes', () => {
  let kubernetes: LocalKubernetes;
  beforeAll(async () => {
    kubernetes = await localKubernetes();
  });
  afterAll(() => kubernetes[Symbol.asyncDispose]());

  const serverPort = (): number => Number(new URL(kubernetes.url).port);
  const urlOf = (port: number): string => `https://127.0.0.1:${port}`;

  silenceTests(
    ({ port, ...options }) => openRows({ ...kubernetes, url: urlOf(port) }, options),
    serverPort,
  );

  networkTests(({ port, ...options }) => {
    const { ca, token } = kubernetes;
    return kubernetesLeadership({ ...options, server: urlOf(port), tls: { ca }, token, namespace });
  }, serverPort);

  writerTests((options) => openRows(kubernetes, options), false);
});
