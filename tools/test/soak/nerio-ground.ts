import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePorts, type TcpProxy, tcpProxy } from '@leadership/testkit/faults';
import type { Blow, Deed, Ground, Scene } from '../../src/soak/ground.ts';

/** A way from one member to another, through a proxy. */
interface Way {
  readonly from: string;
  readonly to: string;
  readonly proxy: TcpProxy;
}

/** Members that elect among themselves over TCP. Each calls each of the others through a proxy, and keeps on disk what it granted. */
export async function nerioGround(names: readonly string[]): Promise<Ground> {
  const directory = await mkdtemp(join(tmpdir(), 'leadership-soak-'));
  const ports = new Map((await freePorts(names.length)).map((port, index) => [names[index] ?? '', port]));
  const pairs = names.flatMap((from) => names.filter((to) => to !== from).map((to) => ({ from, to })));
  const ways: readonly Way[] = await Promise.all(
    pairs.map(async ({ from, to }) => ({ from, to, proxy: await tcpProxy({ port: ports.get(to) ?? 0 }) })),
  );
  return {
    name: 'nerio over TCP',
    seat(member) {
      const addresses = ways.filter(({ from }) => from === member).map(({ to, proxy }) => [to, `127.0.0.1:${proxy.port}`]);
      const module = new URL('nerio-ways.mjs', import.meta.url);
      module.searchParams.set('place', JSON.stringify({ listen: ports.get(member), ways: Object.fromEntries(addresses) }));
      const state = encodeURIComponent(join(directory, member));
      return { url: `nerio://${names.join()}/soak?stateDirectory=${state}`, module: module.href };
    },
    deeds: deedsOn(ways),
    blows: blowsTo(ways),
    blowEvery: 30,
    async [Symbol.asyncDispose]() {
      await Promise.all(ways.map(({ proxy }) => proxy[Symbol.asyncDispose]()));
      await rm(directory, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** Lets it befall these ways, and mends them after a while. */
async function befallen(scene: Scene, hit: readonly Way[], befall: (proxy: TcpProxy) => void, thresholds: number): Promise<void> {
  for (const { proxy } of hit) befall(proxy);
  await pause(scene.dice.between(0.2, thresholds) * scene.settings.thresholdMs);
  for (const { proxy } of hit) proxy.mend();
}

/** What befalls one member's ways. What a member says goes over the connections that it has opened itself. */
function deedsOn(ways: readonly Way[]): Ground['deeds'] {
  const by =
    (isHit: (way: Way, member: string) => boolean, befall: (proxy: TcpProxy, scene: Scene) => void): Deed =>
    (scene, { name }) =>
      befallen(
        scene,
        ways.filter((way) => isHit(way, name)),
        (proxy) => befall(proxy, scene),
        3,
      );
  const out = ({ from }: Way, member: string): boolean => from === member;
  const into = ({ to }: Way, member: string): boolean => to === member;
  const all = (way: Way, member: string): boolean => out(way, member) || into(way, member);
  return {
    'ways cut': by(all, (proxy) => proxy.cut()),
    'ways half-open': by(all, (proxy) => proxy.halfOpen()),
    'ways delayed by up to T': by(all, (proxy, { settings, dice }) => proxy.delay(dice.between(0, 1) * settings.thresholdMs)),
    'nothing heard': by(into, (proxy) => proxy.cutOneWay('to-server')),
    'nothing gets out': by(out, (proxy) => proxy.cutOneWay('to-server')),
  };
}

function blowsTo(ways: readonly Way[]): Ground['blows'] {
  return {
    'network parted in two': (scene) => {
      const side = new Set(scene.crew.posts.filter(() => scene.dice.between(0, 1) < 0.5).map(({ name }) => name));
      const between = ways.filter(({ from, to }) => side.has(from) !== side.has(to));
      return befallen(scene, between, (proxy) => proxy.cut(), 5);
    },
    'network cut everywhere': (scene) => befallen(scene, ways, (proxy) => proxy.cut(), 3),
    'everyone killed at once': everyoneKilled,
  };
}

/** Everyone to whom nothing is being done: what they granted is on disk, and holds. */
const everyoneKilled: Blow = async ({ crew, chronicle }) => {
  const idle = crew.posts.filter(({ busy }) => !busy);
  for (const post of idle) post.busy = true;
  const killedAtNs = process.hrtime.bigint();
  await Promise.all(idle.map(({ member }) => member.kill()));
  for (const { member } of idle) chronicle.ended(member, killedAtNs);
  await Promise.all(idle.map((post) => crew.restart(post)));
  for (const post of idle) post.busy = false;
};
