// Connects the members of one process without sockets.
import type { GossipListener, OpenGossip } from '../../src/index.ts';

/** A network of members, in which messages arrive in a later turn of the microtask queue. */
export interface MemoryNetwork {
  readonly open: OpenGossip;
  /** Drops messages in that direction only, until disposed. */
  cut(from: string, to: string): Disposable;
}

/** Creates an empty network. */
export function memoryNetwork(): MemoryNetwork {
  const listeners = new Map<string, GossipListener>();
  const cuts = new Set<{ readonly from: string; readonly to: string }>();
  const isCut = (from: string, to: string): boolean =>
    [...cuts].some((one) => one.from === from && one.to === to);
  return {
    async open({ member }, listener) {
      listeners.set(member, listener);
      return {
        messageBytesMax: 1000,
        send(to, message) {
          if (!isCut(member, to)) queueMicrotask(() => listeners.get(to)?.received(message, true));
        },
        async close() {
          if (listeners.get(member) === listener) listeners.delete(member);
        },
      };
    },
    cut(from, to) {
      const cut = { from, to };
      cuts.add(cut);
      return { [Symbol.dispose]: () => void cuts.delete(cut) };
    },
  };
}
