import type { DemoEvent } from './demo-event.ts';
import type { Observation } from './member-message.ts';
import type { SentMessage } from './members.ts';
import { Observations } from './observations.ts';

/**
 * Records the members' messages: forwards them to the view, collects observations, and tracks the
 * leader and event-loop stalls.
 */
export class Recorder {
  readonly observations: Observations = new Observations();
  readonly #show: (demoEvent: DemoEvent) => void;
  #leader: string | undefined;
  readonly #stallsMs = new Map<string, number>();

  constructor(show: (demoEvent: DemoEvent) => void) {
    this.#show = show;
  }

  /** The member that acquired leadership last. Throws if no member has led yet. */
  get leader(): string {
    if (this.#leader === undefined) throw new Error('no member has led yet');
    return this.#leader;
  }

  /**
   * Returns the longest total event-loop stall of any one member since the previous call, in
   * milliseconds. The maximum over all members counts, because a successor may have to wait for the
   * claim of a member that stalled.
   */
  takeStallMs(): number {
    const stallMs = Math.max(0, ...this.#stallsMs.values());
    this.#stallsMs.clear();
    return stallMs;
  }

  record({ member, message }: SentMessage): void {
    if (message.kind === 'observation') this.#observe(member, message);
    if (message.kind !== 'event') return;
    if (message.event.kind === 'acquired') this.#leader = member;
    this.#show(message);
  }

  #observe(member: string, observation: Observation): void {
    this.observations.add(member, observation);
    this.#stallsMs.set(member, (this.#stallsMs.get(member) ?? 0) + observation.stallMs);
    this.#show({ kind: 'observation', atNs: observation.atNs, member, observation });
  }
}
