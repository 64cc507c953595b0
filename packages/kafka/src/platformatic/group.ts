// One session in the consumer group through @platformatic/kafka, request by request: join, take the
// plan, send heartbeats, and join again whenever the group rebalances.
import { LeadershipError } from '@leadership/core';
import { sleep } from '@leadership/core/adapter';
import { after } from '@leadership/core/internal/engine';
import { ResponseTimeoutError, withResponseTimeout } from '../connection/response-timeout.ts';
import { hasErrorType, kafkaError } from '../errors.ts';
import { type GroupSessionOptions, leavingMs } from '../group/group-client.ts';
import type { Plan } from '../group/plan.ts';
import { queryPlan } from '../group/query-plan.ts';
import { BrokerError, memberIdIn } from './broker-error.ts';
import type { Brokers, ChannelName } from './brokers.ts';
import type { BrokerConnection } from './connection.ts';
import type { Library } from './library.ts';

/** The session counts as broken after this number of failed joins in a row. */
const joinsMax = 10;
/**
 * The pause after a failed join, times the number of them in a row; and the longest pause.
 * Milliseconds.
 */
const [joinAgainMs, joinAgainMsMax] = [100, 1_000];
/** The session counts as broken if the coordinator of one request has moved more often than this. */
const movesMax = 4;
/**
 * The kind of coordinator that groups have, and the kind of protocol that members of a consumer
 * group speak.
 */
const [groupCoordinator, protocolType] = [0, 'consumer'] as const;

/** The coordinator knows the member, which joins again under its id. */
const rejoins: readonly string[] = [
  'REBALANCE_IN_PROGRESS',
  'MEMBER_ID_REQUIRED',
  'ILLEGAL_GENERATION',
];
/** The coordinator does not know the member, which joins again without an id. */
const forgotten: readonly string[] = ['UNKNOWN_MEMBER_ID', 'FENCED_INSTANCE_ID'];
/** Another broker is the coordinator, or will be. */
const moved: readonly string[] = [
  ...['GROUP_LOAD_IN_PROGRESS', 'GROUP_COORDINATOR_NOT_AVAILABLE', 'NOT_COORDINATOR_FOR_GROUP'],
  // The metadata does not list the coordinator, as it has just started or stopped.
  'BROKER_NOT_AVAILABLE',
];

/** Keeps the member in the group until the signal aborts; rejects if the session breaks. */
export async function runGroupSession(
  brokers: Brokers,
  options: GroupSessionOptions,
  signal: AbortSignal,
): Promise<void> {
  const { clock, limitMs, groupId } = options;
  let session: GroupSession | undefined;
  try {
    const library = await brokers.library();
    await withResponseTimeout(clock, limitMs, brokers.any(), signal);
    session = new GroupSession(library, brokers, options, signal);
    await session.run();
  } catch (error) {
    if (!signal.aborted) throw kafkaError(error, `consumer group ${groupId}`);
  } finally {
    await withResponseTimeout(clock, leavingMs, session?.leave() ?? Promise.resolve()).catch(
      () => undefined,
    );
    brokers.close();
  }
}

/** A member of one generation of the group. */
interface Joined {
  readonly memberId: string;
  readonly generation: number;
}

class GroupSession {
  readonly #library: Library;
  readonly #brokers: Brokers;
  readonly #options: GroupSessionOptions;
  readonly #leaving = new AbortController();
  /** Aborts once the member leaves: no request but the last one is sent after that. */
  readonly #signal: AbortSignal;
  #memberId = '';
  #coordinator: number | undefined;

  constructor(
    library: Library,
    brokers: Brokers,
    options: GroupSessionOptions,
    signal: AbortSignal,
  ) {
    this.#library = library;
    this.#brokers = brokers;
    this.#options = options;
    this.#signal = AbortSignal.any([signal, this.#leaving.signal]);
  }

  async run(): Promise<void> {
    const { groupId, disturbed } = this.#options;
    let failed = 0;
    while (!this.#signal.aborted) {
      const joined = await this.#join();
      if (joined === undefined) {
        failed += 1;
        if (failed === joinsMax)
          throw new LeadershipError(
            'unreachable',
            `consumer group ${groupId}: ${failed} joins in a row failed`,
          );
        await this.#pause(failed * joinAgainMs);
        continue;
      }
      failed = 0;
      disturbed?.();
      await this.#stayUntilRebalance(joined);
      disturbed?.();
    }
  }

  /** Leaves the group, so that the other members do not wait for the end of the session. */
  async leave(): Promise<void> {
    this.#leaving.abort();
    if (this.#memberId === '') return;
    const connection = await this.#brokers.to(await this.#findCoordinator(), 'other');
    await connection.ask(this.#library.leaveGroupV5.api, this.#options.groupId, [
      { memberId: this.#memberId, groupInstanceId: null, reason: null },
    ]);
  }

  /**
   * Joins, and makes the plan if the coordinator chooses this member to. Returns `undefined` if the
   * member has to join again.
   */
  async #join(): Promise<Joined | undefined> {
    try {
      return await this.#joinOnce().catch((error: unknown) => {
        if (!hasErrorType(error, 'MEMBER_ID_REQUIRED')) throw error;
        // A new member receives its id first, so that a join whose answer is lost leaves no unknown
        // member in the group.
        this.#memberId = memberIdIn(error) ?? '';
        return this.#joinOnce();
      });
    } catch (error) {
      this.#prepareToJoinAgain(error);
      return undefined;
    }
  }

  /**
   * Returns if the coordinator wants this member to join again, whose id is then the one to join
   * with. Throws the error otherwise.
   */
  #prepareToJoinAgain(error: unknown): void {
    if (hasErrorType(error, ...forgotten)) this.#memberId = '';
    else if (!hasErrorType(error, ...rejoins)) throw error;
  }

  async #joinOnce(): Promise<Joined> {
    const { joinGroupV9, syncGroupV5 } = this.#library;
    const {
      groupId,
      assigner,
      topic,
      sessionTimeoutMs: sessionMs,
      requestTimeoutMs,
    } = this.#options;
    // A join waits for dead members until their session ends. Each attempt sends new user data, by
    // which a plan is recognized.
    const join = await this.#ask(requestTimeoutMs, (connection) => {
      const { name, metadata } = assigner.protocol({ topics: [topic] });
      return connection.ask(
        joinGroupV9.api,
        groupId,
        sessionMs,
        sessionMs,
        this.#memberId,
        null,
        protocolType,
        [{ name, metadata }],
        null,
      );
    });
    const memberId = join.memberId ?? '';
    this.#memberId = memberId;
    const generation = join.generationId;
    const members = join.members.map((member) => ({
      memberId: member.memberId,
      memberMetadata: member.metadata ?? Buffer.alloc(0),
    }));
    const shares = join.leader === memberId ? await assigner.assign({ members }) : [];
    const assignments = shares.map((share) => ({
      memberId: share.memberId,
      assignment: share.memberAssignment,
    }));
    await this.#ask(requestTimeoutMs, (connection) =>
      connection.ask(
        syncGroupV5.api,
        groupId,
        generation,
        memberId,
        null,
        protocolType,
        assigner.name,
        assignments,
      ),
    );
    return { memberId, generation };
  }

  /** Sends heartbeats until the group rebalances, and reports its plan. */
  async #stayUntilRebalance(joined: Joined): Promise<void> {
    const { planned } = this.#options;
    const over = new AbortController();
    const current = AbortSignal.any([this.#signal, over.signal]);
    const planning = this.#planOf(joined, current).then((plan) => {
      if (plan !== undefined && !current.aborted) planned(plan, joined.generation);
    });
    // Only a failure ends the wait: the member stays once its plan is reported.
    const planFailed = planning.then(() => new Promise<never>(() => undefined));
    try {
      await Promise.race([this.#beat(joined, current), planFailed]);
    } finally {
      over.abort();
      planFailed.catch(() => undefined);
    }
  }

  async #beat({ memberId, generation }: Joined, signal: AbortSignal): Promise<void> {
    const { heartbeatV4 } = this.#library;
    const { clock, heartbeatMs, groupId, sessionTimeoutMs } = this.#options;
    while (!signal.aborted) {
      await sleep(clock, heartbeatMs, signal);
      if (signal.aborted) return;
      try {
        await this.#ask(sessionTimeoutMs, (connection) =>
          connection.ask(heartbeatV4.api, groupId, generation, memberId, null),
        );
      } catch (error) {
        return this.#prepareToJoinAgain(error);
      }
    }
  }

  #planOf({ memberId }: Joined, signal: AbortSignal): Promise<Plan | undefined> {
    const { groupId, sessionTimeoutMs } = this.#options;
    const describe = async () => {
      const { groups } = await this.#ask(
        sessionTimeoutMs,
        (connection) => connection.ask(this.#library.describeGroupsV5.api, [groupId], false),
        'other',
      );
      return { members: groups.flatMap(({ members }) => members) };
    };
    return queryPlan(this.#options, memberId, describe, signal);
  }

  /**
   * Sends a request to the coordinator. If the coordinator starts, has moved or cannot be reached,
   * the member looks it up again and repeats the request. All attempts together may take `limitMs`.
   */
  async #ask<T>(
    limitMs: number,
    request: (connection: BrokerConnection) => Promise<T>,
    channel: ChannelName = 'poll',
  ): Promise<T> {
    const { clock } = this.#options;
    const until = after(clock.now(), limitMs);
    for (let moves = 0; ; moves += 1) {
      try {
        return await withResponseTimeout(
          clock,
          Math.max(0, until - clock.now()),
          this.#askOnce(request, channel),
          this.#signal,
        );
      } catch (error) {
        if (
          !mayHaveMoved(error) ||
          moves === movesMax ||
          this.#signal.aborted ||
          clock.now() >= until
        )
          throw error;
        this.#coordinator = undefined;
        await this.#pause(joinAgainMs * 2 ** moves);
      }
    }
  }

  async #askOnce<T>(
    request: (connection: BrokerConnection) => Promise<T>,
    channel: ChannelName,
  ): Promise<T> {
    const connection = await this.#brokers.to(await this.#findCoordinator(), channel);
    // A join that is sent after the member has left would add a member that does not exist.
    this.#signal.throwIfAborted();
    return request(connection);
  }

  /**
   * A longer pause than a heartbeat's would cost a member with a short session its place in the
   * group.
   */
  #pause(ms: number): Promise<void> {
    const { clock, heartbeatMs } = this.#options;
    return sleep(clock, Math.min(ms, joinAgainMsMax, heartbeatMs), this.#signal);
  }

  async #findCoordinator(): Promise<number> {
    if (this.#coordinator !== undefined) return this.#coordinator;
    const { findCoordinatorV4 } = this.#library;
    await this.#brokers.refresh();
    const connection = await this.#brokers.any();
    const { coordinators } = await connection.ask(findCoordinatorV4.api, groupCoordinator, [
      this.#options.groupId,
    ]);
    const node = coordinators[0]?.nodeId;
    if (node === undefined)
      throw new BrokerError(
        'GROUP_COORDINATOR_NOT_AVAILABLE',
        'no broker is the coordinator of the group just now',
      );
    this.#coordinator = node;
    return node;
  }
}

/**
 * Whether the coordinator may be another broker: the broker says so, or the connection failed, which
 * the library reports by errors of many types. If an answer is late, the time of the request is over.
 */
function mayHaveMoved(error: unknown): boolean {
  if (hasErrorType(error, ...moved)) return true;
  return !(
    error instanceof BrokerError ||
    error instanceof LeadershipError ||
    error instanceof ResponseTimeoutError
  );
}
