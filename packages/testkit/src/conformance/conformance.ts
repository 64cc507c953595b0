// The list of all checks of the conformance suite, in groups, and the short list of core promises.
import type { Check } from './check.ts';
import { leaderIsAnnounced } from './checks/announcements.ts';
import { backendAwayAndBack } from './checks/backend-away.ts';
import {
  deletedWhileAway,
  stateDeleted,
  stateGoesBack,
  thresholdsDiffer,
} from './checks/bad-state.ts';
import { stateAfterBlockedLoop } from './checks/blocked-loop.ts';
import {
  closeDuringStart,
  closeFromInsideWork,
  closeHandsOver,
  closeIsIdempotent,
  closeWaitsForWork,
  closeWithDeadline,
} from './checks/close.ts';
import { closeNowReleases } from './checks/close-now.ts';
import { streamCompletesOnClose } from './checks/completion.ts';
import { continuousDrain, continuousHandover, continuousUnderCuts } from './checks/continuity.ts';
import { handoverInTime, requestVolume } from './checks/costs.ts';
import { exclusionUnderChurn, exclusionUnderCuts } from './checks/exclusion.ts';
import { hostileRecords, mixedVersions } from './checks/foreign-records.ts';
import { groupsDoNotInteract } from './checks/groups.ts';
import { drainTimeout, orderlyHandover } from './checks/handover.ts';
import { sameNameIsAnother } from './checks/incarnations.ts';
import { asyncIteration } from './checks/iteration.ts';
import {
  ifLeadingRuns,
  leadEachPartition,
  leadOncePerTerm,
  leadsHoldBarrier,
} from './checks/lead.ts';
import { closeLeavesNothing } from './checks/leaves-nothing.ts';
import { limitsAreKept } from './checks/limits.ts';
import { renewalsAreMeasured } from './checks/measurements.ts';
import { membersAreListed } from './checks/members.ts';
import { streamNeverRepeats } from './checks/no-repeats.ts';
import { notificationOrder } from './checks/notification-order.ts';
import { observersNeverLead, observersWriteNothing } from './checks/observers.ts';
import { minimalDisturbance } from './checks/placement.ts';
import {
  closeAtEveryMoment,
  closeLetsProcessEnd,
  exclusionUnderKills,
  stateAfterStop,
  successionAfterKill,
} from './checks/processes.ts';
import { streamReplay } from './checks/replay.ts';
import {
  credentialsExpire,
  duplicateNamesAreReported,
  leaderlessWhenCut,
  leaderlessWhenReadsHang,
  leaderlessWithoutCandidates,
  leaderlessWithoutQuorum,
} from './checks/reporting.ts';
import { resignerWaits, resignHandsOver } from './checks/resign.ts';
import { partitionsDiffer, rolesMapToPartitions } from './checks/roles.ts';
import { rosterAgreement } from './checks/roster.ts';
import {
  cutFromReading,
  cutFromWriting,
  lateWrites,
  lostReplies,
  staleReads,
} from './checks/store-faults.ts';
import { successionAfterCut } from './checks/succession.ts';
import { throwingSubscriber } from './checks/throwing-subscriber.ts';
import { onThrowReject, rejectionsAreHandled, workThatThrows } from './checks/throwing-work.ts';
import { fencedStore, tokensGrow } from './checks/tokens.ts';
import { wallClockSteps } from './checks/wall-clock.ts';
import { whileLeadingSubscribes } from './checks/while-leading.ts';
import { stoppedZombies } from './checks/zombies.ts';

/** A group of checks about one topic, in reading order. */
export interface CheckGroup {
  /** The topic that the checks of the group share. */
  readonly title: string;
  /** The checks of the group. */
  readonly checks: readonly Check[];
}

/** All checks of the contract, grouped by topic. */
export const checkGroups: readonly CheckGroup[] = [
  {
    title: 'Correct state and its subscribers',
    checks: [
      stateAfterBlockedLoop,
      stateAfterStop,
      streamReplay,
      streamNeverRepeats,
      streamCompletesOnClose,
      throwingSubscriber,
      asyncIteration,
      notificationOrder,
    ],
  },
  {
    title: 'One leader at a time',
    checks: [
      exclusionUnderChurn,
      exclusionUnderCuts,
      exclusionUnderKills,
      staleReads,
      lostReplies,
      lateWrites,
      cutFromWriting,
      cutFromReading,
      thresholdsDiffer,
      sameNameIsAnother,
      tokensGrow,
      fencedStore,
      stoppedZombies,
      wallClockSteps,
    ],
  },
  {
    title: 'Succession and hand-over',
    checks: [
      successionAfterCut,
      successionAfterKill,
      orderlyHandover,
      drainTimeout,
      handoverInTime,
      resignHandsOver,
      resignerWaits,
    ],
  },
  {
    title: 'Continuous leadership',
    checks: [continuousHandover, continuousUnderCuts, continuousDrain],
  },
  {
    title: 'Roles, partitions and observers',
    checks: [
      rolesMapToPartitions,
      partitionsDiffer,
      minimalDisturbance,
      limitsAreKept,
      rosterAgreement,
      leaderIsAnnounced,
      membersAreListed,
      observersNeverLead,
      observersWriteNothing,
      groupsDoNotInteract,
    ],
  },
  {
    title: 'Work',
    checks: [
      leadOncePerTerm,
      leadsHoldBarrier,
      leadEachPartition,
      ifLeadingRuns,
      whileLeadingSubscribes,
      workThatThrows,
      onThrowReject,
      rejectionsAreHandled,
    ],
  },
  {
    title: 'Close',
    checks: [
      closeIsIdempotent,
      closeDuringStart,
      closeHandsOver,
      closeWaitsForWork,
      closeFromInsideWork,
      closeWithDeadline,
      closeNowReleases,
      closeLeavesNothing,
      closeLetsProcessEnd,
      closeAtEveryMoment,
    ],
  },
  {
    title: 'Failures of the backend',
    checks: [
      backendAwayAndBack,
      leaderlessWhenCut,
      leaderlessWithoutQuorum,
      leaderlessWithoutCandidates,
      leaderlessWhenReadsHang,
      credentialsExpire,
      duplicateNamesAreReported,
      stateDeleted,
      deletedWhileAway,
      stateGoesBack,
      mixedVersions,
      hostileRecords,
      renewalsAreMeasured,
      requestVolume,
    ],
  },
];

/**
 * The checks that find most defects in little time, on real processes where the cluster has them:
 * what to run on a slow backend while you work. The whole list decides.
 */
export const corePromises: readonly Check[] = [
  stateAfterStop,
  exclusionUnderKills,
  tokensGrow,
  successionAfterKill,
  orderlyHandover,
  resignHandsOver,
  closeHandsOver,
  backendAwayAndBack,
];

/** All checks of the contract in one list. */
export const conformance: readonly Check[] = checkGroups.flatMap(({ checks }) => checks);
