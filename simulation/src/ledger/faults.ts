// The faults that strike worlds of the ledger lease: what each changes in the simulated world.
import {
  anyPartition,
  drift,
  faultSchedule,
  outageMs,
  restartMs,
  wallStep,
} from '../kernel/faults.ts';
import { about } from '../kernel/network.ts';
import { defined } from '../kernel/random.ts';
import { scheduleFor } from '../kernel/timeline.ts';
import { take } from './engine.ts';
import {
  beginToLeave,
  closeConnection,
  closeListener,
  deleteSocket,
  expose,
  hangUp,
  isGuard,
  sayGoodbye,
  stray,
} from './guard.ts';
import { start, stop } from './node.ts';
import { sendRanks } from './placement.ts';
import type { FaultKind } from './scenario.ts';
import {
  carryUp,
  cutLog,
  deleteStore,
  goBack,
  loseTail,
  moveLog,
  strangerWrites,
} from './store-faults.ts';
import type { Node, World } from './world.ts';

/** Schedules the faults of a world. */
export const beginFaults: (world: World) => void = faultSchedule<FaultKind, World>({
  whilePaused: ['restart'],
  // An empty store looks the same after each deletion: a reader that was cut off cannot distinguish
  // two deletions from one. Every reader must therefore read again, and wait, before the next.
  restMs({ scenario }, kind) {
    if (kind !== 'delete' && kind !== 'wipe') return 0;
    const { outage, thresholdsMs, thresholdMsMax, network } = scenario;
    return outage[1] * Math.max(...thresholdsMs) + network.lateMsMax + 3 * thresholdMsMax;
  },
  faults: {
    pause(world, node, lastsMs) {
      node.pausedUntil = troubled(world, node, lastsMs);
    },
    restart: (world, node, lastsMs) => stop(world, node, restartMs(world, lastsMs)),
    leave(world, node, lastsMs) {
      campaign(world, node, false);
      beginToLeave(world, node);
      scheduleFor(world, node, lastsMs, leave, undefined);
    },
    cut(world, node, lastsMs) {
      const until = troubled(world, node, lastsMs);
      const which = world.random.next();
      if (which < 0.7) node.writesCutUntil = until;
      if (which > 0.3) node.readsCutUntil = until;
    },
    deny(world, node, lastsMs) {
      // One node at a time: if no node can write, no node can lead under any rules.
      if (world.nodes.some(({ writesDeniedUntil }) => writesDeniedUntil > world.now)) return;
      node.writesDeniedUntil = troubled(world, node, lastsMs);
    },
    reconnect: (world, node) => world.storeKind.reconnect(world, node),
    move: moveLog,
    rebalance(world) {
      const partition = anyPartition(world);
      world.rotations[partition] = defined(world.rotations[partition]) + 1;
      sendRanks(world);
    },
    resign(world, node) {
      const partition = Math.floor(world.random.next() * node.partitions.length);
      defined(node.hosted[partition]).term.givenUp = true;
      const atLeastMs = about(world, node.leaseMs);
      take(world, node, partition, { kind: 'resign', atLeastMs });
    },
    observe(world, node) {
      if (!isGuard(world, node)) campaign(world, node, !node.campaigning);
    },
    drift,
    'wall-step': wallStep,
    prune: cutLog,
    carry: carryUp,
    'lost-tail': loseTail,
    delete: deleteStore,
    wipe(world) {
      for (const one of world.nodes) if (one.alive) stop(world, one, outageMs(world, one));
      deleteStore(world);
    },
    'go-back': goBack,
    stranger: (world) => strangerWrites(world, 'next'),
    'hostile-token': (world) => strangerWrites(world, 'last'),
    'close-connection': (world, node) => closeConnection(world, node, start),
    'close-listener': (_world, node) => closeListener(node),
    'delete-socket': (_world, node) => deleteSocket(node),
    expose: (world, node) => expose(world, node, start),
    stray,
    'hang-up': (world, node) => hangUp(world, node, start),
  },
});

function leave(world: World, _content: undefined, node: Node): void {
  sayGoodbye(world, node);
  stop(world, node, outageMs(world, node));
}

function campaign(world: World, node: Node, on: boolean): void {
  node.campaigning = on;
  node.hosted.forEach(({ term }, partition) => {
    term.givenUp = !on;
    take(world, node, partition, { kind: 'campaign', on });
  });
  sendRanks(world);
}

/** Returns when the fault ends. Its consequences end later. */
function troubled(world: World, node: Node, lastsMs: number): number {
  const until = world.now + lastsMs;
  node.troubledUntil = Math.max(node.troubledUntil, until + 2 * node.leaseMs);
  return until;
}
