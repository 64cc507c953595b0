// The parts that the logs of one member on a topic share: the checks of its settings, the warnings, and the pins.
import { HealthReporter } from '@leadership/core/internal/engine';
import type { ClusterConnection } from '../connection/cluster-connection.ts';
import { limitsOf, type MemberContext } from '../member-context.ts';
import { TopicPins } from './pins.ts';
import type { TopicOptions } from './topic.ts';
import { type TopicWatch, topicWatch } from './topic-watch.ts';

/** The partitions of a new topic, and the most of them that a group uses. */
const shardsMax = 3;

/** The topic of a member. */
export class MemberTopic {
  readonly context: MemberContext;
  readonly options: TopicOptions;
  /**
   * The number of partitions of the topic that the group uses. It depends on the number of its own
   * partitions alone, so a member that opens the group again after its pin was lost finds the rows where
   * the others have them (M12).
   */
  readonly shards: number;
  readonly warnings: HealthReporter;
  readonly watch: TopicWatch;
  /** The pins as the first reader of partition 0 knows them. */
  readonly pins: TopicPins;
  #isRead = false;
  readonly #closed = new AbortController();
  readonly #connections = new Set<() => ClusterConnection | undefined>();

  /** `checkMs`: the interval of the checks of the topic's settings. Milliseconds. */
  constructor(context: MemberContext, checkMs?: number) {
    const { host, topicCheck } = context;
    this.context = context;
    this.shards = Math.min(context.partitions, shardsMax);
    this.options = {
      ...context,
      ...limitsOf(context),
      partitions: shardsMax,
      check: topicCheck,
      use: 'lease',
    };
    this.warnings = new HealthReporter(host, 'warning');
    this.pins = new TopicPins(context);
    this.watch = topicWatch({
      topic: this.options,
      host,
      connection: () => this.#connection(),
      signal: this.#closed.signal,
      ...(checkMs !== undefined && { everyMs: checkMs }),
    });
  }

  /**
   * Returns the pins for a reader of partition 0. Each has its own, because a reader forgets them when it
   * reads from the start again.
   */
  pinsOfReader(): TopicPins {
    if (this.#isRead) return new TopicPins(this.context);
    this.#isRead = true;
    return this.pins;
  }

  /** Notes that a log uses the topic, whose connection the checks may use. */
  opened(connection: () => ClusterConnection | undefined): void {
    this.#connections.add(connection);
  }

  /** Notes that a log does not use the topic any more. With the last one, the checks end. */
  closed(connection: () => ClusterConnection | undefined): void {
    this.#connections.delete(connection);
    if (this.#connections.size > 0 || this.#closed.signal.aborted) return;
    this.#closed.abort();
    this.warnings.mendAll();
    this.watch.mendAll();
  }

  #connection(): ClusterConnection | undefined {
    for (const connection of this.#connections) {
      const open = connection();
      if (open?.signal.aborted === false) return open;
    }
    return undefined;
  }
}
