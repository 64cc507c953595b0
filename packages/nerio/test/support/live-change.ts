// Members that change under load, while their processes are killed and stopped (N13).
import { setTimeout as pause } from 'node:timers/promises';
import { eventually } from '@leadership/testkit/adapter';
import type { MemberEvent, ProcessMember } from '@leadership/testkit/faults';
import { type Mesh, meshOf, thresholdMs } from './mesh.ts';
import { membersAsOf, propose } from './proposals.mjs';

/** More than one, so that a change affects leaders and followers alike. */
export const partitions = 3;

/** The file into which the leader writes its work, with its token. */
export const storeIn = ({ state }: Pick<Mesh, 'state'>): string => `${state}/store`;

/**
 * Starts five processes: three of them are the group, and lead and work; two wait until they become
 * members.
 */
export async function changing(): Promise<Mesh> {
  const query = (state: string, name: string): string =>
    `?stateDirectory=${encodeURIComponent(`${state}/${name}`)}${isNewcomer(name) ? '&joins=true' : ''}`;
  const mesh = await meshOf(5, {
    founders: 3,
    partitions,
    query,
    work: (state) => ({ kind: 'write', store: storeIn({ state }), fenced: true }),
  });
  try {
    await Promise.all(few(mesh).map((name) => mesh.start(name)));
    await ready(mesh, few(mesh));
    await Promise.all(mesh.names.filter(isNewcomer).map((name) => mesh.start(name)));
    await works(mesh, few(mesh));
    await mesh.grant(few(mesh));
    return mesh;
  } catch (error) {
    await mesh[Symbol.asyncDispose]();
    throw error;
  }
}

/** The first members of the group. */
const few = ({ names }: Mesh): readonly string[] => names.slice(0, 3);

const isNewcomer = (name: string): boolean => name === 'm4' || name === 'm5';

async function ready(mesh: Mesh, names: readonly string[]): Promise<void> {
  await Promise.all(
    names.map((name) => mesh.member(name).until(({ kind }) => kind === 'ready', 60_000)),
  );
}

/** Resolves once only these members lead, and a leader has written in every partition since. */
async function works(mesh: Mesh, names: readonly string[]): Promise<void> {
  const sinceNs = process.hrtime.bigint();
  const writes = (partition: number): boolean =>
    mesh
      .events()
      .some(
        (event) =>
          hasWritten(event) &&
          event.partition === partition &&
          event.atNs > sinceNs &&
          names.includes(event.member),
      );
  await eventually(`work goes on, by ${names.join()}`, () =>
    Array.from({ length: partitions }, (_, index) => index).every(writes),
  );
}

const hasWritten = ({ kind }: MemberEvent): boolean => kind === 'wrote';

/** Resolves once all of these are in an epoch of exactly these members. */
async function areMembers(mesh: Mesh, names: readonly string[]): Promise<void> {
  const is = (name: string): boolean => membersAsOf(mesh.state, name).join() === names.join();
  await eventually(`${names.join()} are the members`, () => names.every(is), {
    details: () =>
      mesh.names.map((name) => `\n${name}: ${membersAsOf(mesh.state, name).join()}`).join(''),
  });
}

/**
 * Resolves once these are the members and work continues. Repeats the proposal, because the earlier
 * proposer may have died.
 */
async function become(mesh: Mesh, names: readonly string[], asked: string): Promise<void> {
  if (membersAsOf(mesh.state, asked).join() !== names.join()) propose(mesh.state, asked, names);
  await areMembers(mesh, names);
  await works(mesh, names);
}

/** The member that reported leadership most recently, in any partition. */
function leader(mesh: Mesh): ProcessMember {
  const last = mesh
    .events()
    .findLast(
      ({ kind, member }) => kind === 'acquired' && membersAsOf(mesh.state, member).includes(member),
    );
  return mesh.member(last?.member ?? 'm1');
}

/**
 * Changes three members to five. The first proposer is cut off together with the newcomers, which
 * are not voters, and finds no quorum. Then the connections are restored, and the proposer is
 * killed during its attempt. Another member proposes the same change.
 */
export async function grow(mesh: Mesh, asker: string): Promise<void> {
  const others = few(mesh).filter((name) => name !== asker);
  const side = [asker, ...mesh.names.filter(isNewcomer)];
  const proxies = [...mesh.proxies(side, others), ...mesh.proxies(others, side)];
  for (const proxy of proxies) proxy.cut();
  propose(mesh.state, asker, mesh.names);
  await works(mesh, others);
  // Long enough for leases granted on that side to end, and for leaders of its own, if it could
  // elect any.
  await pause(2 * thresholdMs);
  await works(mesh, others);
  for (const proxy of proxies) proxy.mend();
  await pause(thresholdMs / 4);
  await mesh.member(asker).kill();
  await mesh.start(asker);
  await become(mesh, mesh.names, others[0] ?? asker);
  await mesh.grant(mesh.names);
}

/**
 * Changes five members to three. A leader is stopped from before the proposal until long after it,
 * and a leaving member is killed.
 */
export async function shrink(mesh: Mesh): Promise<void> {
  const stopped = leader(mesh);
  const [asker = 'm1', dying = 'm5'] = [few(mesh), mesh.names.filter(isNewcomer)].map((some) =>
    some.find((name) => name !== stopped.member),
  );
  stopped.pause();
  propose(mesh.state, asker, few(mesh));
  await pause(thresholdMs / 2);
  await mesh.member(dying).kill();
  await pause(1.5 * thresholdMs);
  stopped.resume();
  await become(mesh, few(mesh), asker);
  await mesh.start(dying);
}
