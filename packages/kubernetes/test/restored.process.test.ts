// etcd is restored from a backup while the API server runs, which Kubernetes advises against.
import type { LeadershipSource } from '@leadership/core';
import { eventually } from '@leadership/testkit/adapter';
import { rolledBack } from '@leadership/tools/etcd';
import { hasKubernetes, type LocalKubernetes, localKubernetes } from '@leadership/tools/kubernetes';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { kubernetesLeadership } from '../src/index.ts';
import { namespace } from './support/administrator.ts';

const thresholdMs = 2000;

describe.runIf(await hasKubernetes())('an API server whose etcd was restored under it', () => {
  let kubernetes: LocalKubernetes;
  beforeAll(async () => {
    kubernetes = await localKubernetes();
  });
  afterAll(() => kubernetes[Symbol.asyncDispose]());

  const join = (member: string): LeadershipSource =>
    kubernetesLeadership({
      ...{ group: 'restored', member, namespace, thresholdMs, log: false },
      ...{ server: kubernetes.url, tls: { ca: kubernetes.ca }, token: kubernetes.token },
    });

  /** Writes as an administrator would meanwhile: the version of etcd is far behind afterwards. */
  async function writeMuch(): Promise<void> {
    const path = `/api/v1/namespaces/${namespace}/configmaps`;
    for (let index = 0; index < 300; index += 1) {
      const metadata = { name: `written-${index}` };
      await kubernetes.call({ method: 'POST', path, body: { metadata } });
    }
  }

  it('shows what is lost: all members report it and none leads, until the server is started again', async () => {
    await using one = join('one');
    await using other = join('other');
    const members = [one, other];
    const details = (): string => JSON.stringify(members.map((member) => member.health()));
    const leading = (what: string): Promise<bigint> =>
      eventually(
        what,
        () =>
          members
            .find((member) => member.held().size > 0)
            ?.held()
            .get(0)?.token,
        {
          details,
        },
      );
    await leading('one leads');
    let lost = 0n;
    await rolledBack([kubernetes.etcd], async () => {
      await leading('one leads again');
      await writeMuch();
      lost = await leading('one still leads');
    });
    const reports = (member: LeadershipSource): boolean =>
      member.health().troubles.some(({ message }) => message.includes('restart all servers'));
    await eventually('all report it', () => members.every(reports), { details });
    await eventually('none leads', () => members.every((member) => member.held().size === 0), {
      details,
    });
    await kubernetes.server.kill();
    await kubernetes.server.start();
    expect(await leading('one leads after the start')).toBeGreaterThan(lost);
    await eventually('all is well', () => members.every((member) => member.health().ok), {
      details,
    });
  });
});
