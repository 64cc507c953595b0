// A backend for members of nerio-messages: Nerio, with a transport that counts the frames that the
// member sends.
import type { BackendModule } from '@leadership/core/adapter';
import {
  type NerioOptions,
  backend as nerio,
  type OpenTransport,
  tcpTransport,
} from '@leadership/nerio';
import { logTotals } from './measured.ts';

let frames = 0;

/** Nerio whose frames are counted. */
export const backend: BackendModule = {
  ...nerio,
  open(address, options) {
    logTotals(() => ({ frames }));
    const counting: Partial<NerioOptions> = { ...options, transport: counted(tcpTransport()) };
    return nerio.open(address, counting);
  },
};

/** Counts frames: messages to the same member within one turn of the event loop share a frame. */
function counted(open: OpenTransport): OpenTransport {
  const addressed = new Set<string>();
  const note = (to: string): void => {
    if (addressed.size === 0) queueMicrotask(() => addressed.clear());
    if (!addressed.has(to)) frames += 1;
    addressed.add(to);
  };
  return (parts) => {
    const transport = open(parts);
    return {
      reach: (members) => transport.reach(members),
      enter: (epoch) => transport.enter(epoch),
      send(to, message) {
        note(to);
        transport.send(to, message);
      },
      isReached: (other) => transport.isReached(other),
      get dropped() {
        return transport.dropped;
      },
      close: () => transport.close(),
    };
  };
}
