import { openLeadership } from '@leadership/core';
import { describe, expect, it } from 'vitest';
import { scratchDirectory } from '../scratch-directory.ts';
import { codeIn, tableIn, textOf, unionIn } from './document.ts';

const page = textOf('README.md');
const backends = tableIn(page, 'backend', 'URL');

describe('README.md', () => {
  it('states the guarantees of each backend as the backend does', async () => {
    await using directory = await scratchDirectory();
    const places: Readonly<Record<string, string>> = {
      GROUP: 'readme',
      DIR: encodeURIComponent(directory.path),
      TOPIC: 'readme',
      REGION: 'eu-west-1',
      TABLE: 'readme',
      DATABASE: 'readme',
      NAMESPACE: 'readme',
    };
    expect(backends.map(([backend]) => backend)).toEqual([
      'memory',
      'file',
      'kafka',
      'kinesis',
      'nerio',
      'gossip',
      'etcd',
      'kubernetes',
      'nats',
      'redis',
      'postgres',
      'mysql',
    ]);
    for (const [, url, , leaders, tokens, handover, failover, assumes] of backends) {
      // Alternate between two hosts, because the member of a Nerio URL must be one of the hosts
      // before it.
      let hosts = 0;
      const host = (): string => `127.0.0.1:${1 + (hosts++ % 2)}`;
      await using source = await openLeadership(
        codeIn(url).replace(/[A-Z]+/g, (place) =>
          place === 'HOST' ? host() : (places[place] ?? place),
        ),
      );
      const promised = source.guarantees;
      expect([leaders, tokens, handover]).toEqual([
        promised.exclusive ? 'one' : 'several',
        promised.tokens,
        promised.handover,
      ]);
      expect([failover, assumes]).toEqual([
        `${promised.failoverMsMax} ms`,
        promised.assumes.join(', '),
      ]);
    }
  });

  it('states the fail-over of the file backend for the quick start', () => {
    const file = backends.find(([backend]) => backend === 'file');
    expect(page).toContain(`${file?.[6]} later at most by default`);
    expect(textOf('examples/src/leader.mjs')).toContain("'file:");
  });

  it('names every state, and no event that does not exist', () => {
    const union =
      /type Leadership =([\s\S]*)/.exec(textOf('packages/core/src/contract/leadership.ts'))?.[1] ??
      '';
    const states = [...union.matchAll(/state: '(\w+)'/g)].map(([, state]) => state);
    expect(states).toHaveLength(6);
    for (const state of states) expect(page).toContain(`\`${state}\``);
    expect(unionIn(textOf('packages/core/src/contract/event.ts'), 'LeadershipEventKind')).toEqual(
      expect.arrayContaining(tableIn(page, 'event', '`leadership$` emits').map(([word]) => word)),
    );
  });

  it('requires the same Node versions as the packages', () => {
    const { engines } = JSON.parse(textOf('packages/core/package.json')) as {
      engines: { node: string };
    };
    expect(page).toContain(`Node \`${engines.node}\``);
  });
});
