// The requests to brokers that read and write a topic, in one form for both clients.
import { hasErrorType } from '../errors.ts';

/**
 * The isolation level of reads. Records of aborted transactions count: all readers see the same,
 * and no open transaction blocks them.
 */
export const readUncommitted = 0;
/**
 * All replicas in sync acknowledge a record: a record that only the leader has can be lost with it.
 */
export const acksOfAll = -1;
/** The timestamps by which a request for offsets names the two ends of a log. */
export const timestampOf = { start: -2, end: -1 } as const;

/** Returns whether a broker knows a topic, by its answer about the topic's metadata. */
export async function isTopicKnown(answer: Promise<unknown>): Promise<boolean> {
  try {
    await answer;
    return true;
  } catch (error) {
    if (hasErrorType(error, 'UNKNOWN_TOPIC_OR_PARTITION')) return false;
    // The broker knows the topic: it reports that a partition has no leader.
    if (hasErrorType(error, 'LEADER_NOT_AVAILABLE')) return true;
    throw error;
  }
}
