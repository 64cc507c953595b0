// Members of one group, each with a real server.
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { LeadershipSource, Role } from '@leadership/core';
import { type MemoryGroup, memoryGroup } from '@leadership/core/memory';
import { expect } from 'vitest';

/** Builds the application of a member. Its handler answers with `answer(method and path, body)`. */
export type Framework = (parts: {
  readonly source: LeadershipSource;
  readonly role: Role;
  readonly answer: (path: string, body: string) => string;
}) => RequestListener | Promise<RequestListener>;

export interface Member extends AsyncDisposable {
  readonly url: string;
  readonly source: LeadershipSource;
  readonly role: Role;
  /** The bodies of the requests that its handler has received. */
  readonly received: readonly string[];
}

/** Starts a server on a free port. */
export async function serve(listener: RequestListener): Promise<AsyncDisposable & { url: string }> {
  const server: Server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Adds a member, whose metadata name the address of its server. */
async function join(group: MemoryGroup, member: string, framework: Framework) {
  const received: string[] = [];
  let listener: RequestListener | undefined;
  const server = await serve((request, response) => listener?.(request, response));
  const { url } = server;
  const source = group.join({ member, partitions: 1, metadata: { url }, log: false });
  await source.ready();
  const role = source.role(0);
  const answer = (path: string, body: string): string => {
    received.push(body);
    return `${member}: ${path} ${body}`;
  };
  listener = await framework({ source, role, answer });
  const joined: Member = {
    url,
    source,
    role,
    received,
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await source.close();
    },
  };
  return joined;
}

/** Adds `a` and `b`, of which `a` leads, and `b` knows it. */
export async function twoMembers(framework: Framework) {
  const group = memoryGroup(crypto.randomUUID());
  const a = await join(group, 'a', framework);
  const b = await join(group, 'b', framework);
  await group.elect('a', 0);
  await expect.poll(() => b.role.leader()?.member).toBe('a');
  return {
    group,
    a,
    b,
    async [Symbol.asyncDispose]() {
      await a[Symbol.asyncDispose]();
      await b[Symbol.asyncDispose]();
    },
  };
}
