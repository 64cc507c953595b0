// Many members in a few processes, which exchange real datagrams over the loopback interface.
import { type Child, startChild } from '@leadership/tools/processes';
import { addresses } from '../backends/nerio.ts';

/** The input of a process with several members. */
export interface FleetInput {
  /** The members that this process runs. */
  readonly members: readonly string[];
  readonly voters: readonly string[];
  readonly membersMax: number;
  readonly thresholdMs: number;
  readonly intervalMs: number;
}

/** A command to a process. */
export type FleetCommand =
  | { readonly kind: 'set'; readonly member: string; readonly value: string }
  | { readonly kind: 'count' };

/** The messages of a process. */
export type FleetMessage =
  /** Every member of it knows all members of the crowd, and that they live. */
  | { readonly kind: 'complete' }
  /** The last of its members has received this value. */
  | { readonly kind: 'received'; readonly value: string; readonly atNs: string }
  /** The bytes of all datagrams that it has sent, and the processor time that it has used. */
  | {
      readonly kind: 'count';
      readonly datagrams: number;
      readonly bytes: number;
      readonly cpuMs: number;
      readonly atMs: number;
    };

/** The size of a crowd. */
export interface FleetSize {
  readonly members: number;
  readonly processes: number;
  readonly thresholdMs: number;
  readonly intervalMs: number;
}

/** Members that know each other. Disposing ends their processes. */
export interface Fleet extends AsyncDisposable {
  readonly names: readonly string[];
  readonly processes: readonly Child<FleetMessage>[];
  /** The process of a member. */
  processOf(member: string): Child<FleetMessage>;
}

const votersMax = 5;

/** Starts a crowd. Resolves once each member knows all others. */
export async function startFleet({ members, processes, ...times }: FleetSize): Promise<Fleet> {
  const names = await addresses(members);
  const voters = names.slice(0, votersMax);
  const share = Math.ceil(members / processes);
  const program = new URL('../programs/gossip-crowd.js', import.meta.url);
  const children = Array.from({ length: processes }, (_, index) => {
    const own = names.slice(index * share, (index + 1) * share);
    const input: FleetInput = { members: own, voters, membersMax: members, ...times };
    return startChild<FleetMessage>(program, { input });
  });
  const end = async (): Promise<void> => {
    await Promise.all(children.map((child) => child.kill()));
  };
  try {
    await Promise.all(children.map((child) => complete(child)));
  } catch (error) {
    await end();
    throw error;
  }
  const byName = new Map(
    names.map((name, index) => [name, children[Math.floor(index / share)]] as const),
  );
  return {
    names,
    processes: children,
    processOf(member) {
      const child = byName.get(member);
      if (child === undefined) throw new RangeError(`no member ${member}`);
      return child;
    },
    [Symbol.asyncDispose]: end,
  };
}

function complete(child: Child<FleetMessage>): Promise<void> {
  return new Promise((resolve, reject) => {
    void child.ended.then((how) => reject(new Error(`a process of the crowd ended: ${how}`)));
    child.listen(({ kind }) => {
      if (kind === 'complete') resolve();
    });
  });
}
