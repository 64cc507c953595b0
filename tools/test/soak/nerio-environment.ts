import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { tcpProxy } from '@leadership/testkit/faults';
import type { SoakEnvironment } from '../../src/soak/environment.ts';
import { openLinks } from '../../src/soak/links.ts';

/**
 * Returns an environment in which members elect a leader among themselves over TCP. Each member
 * reaches each other member through a proxy, and writes its votes to disk.
 */
export async function nerioEnvironment(names: readonly string[]): Promise<SoakEnvironment> {
  const directory = await mkdtemp(join(tmpdir(), 'leadership-soak-'));
  const links = await openLinks(names, tcpProxy);
  const { memberFaults, environmentFaults } = links;
  return {
    name: 'nerio over TCP',
    memberFaults,
    environmentFaults,
    environmentFaultEvery: 30,
    memberOptions(member) {
      const module = new URL('nerio-links.mjs', import.meta.url);
      module.searchParams.set('config', JSON.stringify(links.of(member)));
      const state = encodeURIComponent(join(directory, member));
      return { url: `nerio://${names.join()}/soak?stateDirectory=${state}`, module: module.href };
    },
    async [Symbol.asyncDispose]() {
      await links[Symbol.asyncDispose]();
      await rm(directory, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
