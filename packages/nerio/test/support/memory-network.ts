// Connects the members of one process without sockets, to test drivers.
import { LeadershipError } from '@leadership/core';
import type { Publication } from '@leadership/core/adapter';
import { type Drops, noDrops } from '../../src/transport/drops.ts';
import { differenceOf } from '../../src/transport/pin.ts';
import type {
  Introduction,
  Message,
  OpenTransport,
  Transport,
  TransportParts,
} from '../../src/transport/transport.ts';

/** A network of members. */
export interface MemoryNetwork {
  readonly open: OpenTransport;
  /** Drops messages in that direction only, until disposed. */
  cut(from: string, to: string): Disposable;
  /** The number of delivered messages. */
  readonly delivered: number;
}

interface Place {
  readonly parts: TransportParts;
  readonly drops: Drops;
  epoch: number;
  reached: ReadonlySet<string>;
  publication: Publication | undefined;
  /** By member: its introduction. */
  readonly met: Map<string, Introduction>;
}

/** Creates an empty network. Messages arrive in a later turn of the microtask queue, in order. */
export function memoryNetwork(): MemoryNetwork {
  const places = new Map<string, Place>();
  const cuts = new Map<string, number>();
  const counters = { delivered: 0 };
  const way = (from: string, to: string): string => `${from} → ${to}`;
  const passes = (from: string, to: string): boolean =>
    places.has(to) && (cuts.get(way(from, to)) ?? 0) === 0;
  const isJoined = (one: Place, to: string): boolean => {
    const { member } = one.parts.self;
    return passes(member, to) || passes(to, member);
  };
  /**
   * A handshake shows both ends that their pins differ, even if one of them has ended by the time
   * the other is notified.
   */
  const refuse = ({ parts, drops }: Place, { parts: { self } }: Place): void => {
    const difference = differenceOf(parts.self.pin, self.pin);
    drops['pin-differs'] += 1;
    parts.listener.dropped('pin-differs');
    parts.listener.failed(
      self.member,
      new LeadershipError(
        'partitions-differ',
        `"${self.member}" is configured otherwise: ${difference}`,
      ),
    );
  };
  /** Notifies every member of new and lost connections. */
  const look = (): void => {
    for (const place of places.values()) {
      for (const [name, peer] of place.met) {
        if (places.get(name)?.parts.self.incarnation === peer.incarnation && isJoined(place, name))
          continue;
        place.met.delete(name);
        place.parts.listener.disconnected(peer);
      }
      for (const [name, other] of places) {
        const isWanted = place.reached.has(name) || other.reached.has(place.parts.self.member);
        if (other === place || !isWanted || place.met.has(name) || !isJoined(place, name)) continue;
        const difference = differenceOf(place.parts.self.pin, other.parts.self.pin);
        if (difference !== undefined) {
          refuse(place, other);
          refuse(other, place);
          continue;
        }
        place.met.set(name, other.parts.self);
        place.parts.listener.connected(other.parts.self);
        const { publication, parts } = other;
        if (publication) place.parts.listener.published(parts.self, publication);
      }
    }
  };
  const deliver = (from: Place, to: Place, message: Message): void => {
    const { member, incarnation, pin } = from.parts.self;
    const isHere = places.get(to.parts.self.member) === to && passes(member, to.parts.self.member);
    if (!isHere || differenceOf(pin, to.parts.self.pin) !== undefined) return;
    counters.delivered += 1;
    if (message.item.kind === 'running' || message.epoch === to.epoch)
      return to.parts.listener.received({ member, incarnation }, [message]);
    to.drops['wrong-epoch'] += 1;
    to.parts.listener.dropped('wrong-epoch');
    to.parts.listener.wrongEpoch({ member, incarnation }, message.epoch);
  };
  return {
    open(parts): Transport {
      const place: Place = {
        parts,
        drops: noDrops(),
        epoch: -1,
        reached: new Set(),
        publication: undefined,
        met: new Map(),
      };
      const { member } = parts.self;
      places.set(member, place);
      queueMicrotask(() => parts.listener.listening());
      return {
        reach(members) {
          place.reached = new Set(members);
          queueMicrotask(look);
        },
        enter({ number }) {
          place.epoch = number;
        },
        send(to, message) {
          const target = places.get(to);
          if (target && target !== place && places.get(member) === place)
            queueMicrotask(() => deliver(place, target, message));
        },
        publish(publication) {
          place.publication = publication;
          const tell = ({ met, parts: { listener } }: Place): void => {
            if (met.has(member)) listener.published(parts.self, publication);
          };
          for (const other of places.values()) queueMicrotask(() => tell(other));
        },
        isReached: (other) => place.met.has(other) && passes(member, other),
        dropped: place.drops,
        close() {
          if (places.get(member) === place) places.delete(member);
          place.met.clear();
          queueMicrotask(look);
          return Promise.resolve();
        },
      };
    },
    cut(from, to) {
      cuts.set(way(from, to), (cuts.get(way(from, to)) ?? 0) + 1);
      queueMicrotask(look);
      return {
        [Symbol.dispose]() {
          cuts.set(way(from, to), (cuts.get(way(from, to)) ?? 1) - 1);
          queueMicrotask(look);
        },
      };
    },
    get delivered() {
      return counters.delivered;
    },
  };
}
