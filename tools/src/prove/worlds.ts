// The searches of `npm run prove`: each model with its constants, and the mistakes that must be
// found in it.

/** One world: a model with its constants, and the mutants that must be violated in it. */
export interface World {
  readonly name: string;
  /** The file in `models/`, without its ending. */
  readonly model: string;
  readonly options: Readonly<Record<string, number>>;
  /** Names in the model's text. */
  readonly mutants: readonly string[];
  /** Whether its search takes longer than a check may: it runs with `--all` only. */
  readonly isLong?: boolean;
}

type Search = readonly [name: string, options: World['options'], mutants: readonly string[]];

function world(model: string, ...[name, options, mutants]: Search): World {
  return { name, model, options, mutants };
}

function session(...search: Search): World {
  return world('session', ...search);
}

/** All worlds. One session that need not renew (`FIXED`) keeps most of them small. */
export const worlds: readonly World[] = [
  session('claims', { FIXED: 1 }, [
    'DEPOSES_AT_ONCE',
    'WAIT_NOT_RESTARTED',
    'DEPOSES_NEWEST',
    'CLAIMS_UNDEPOSED',
    'CLAIMS_WITH_DEPOSING',
    'REVIVES',
    'T_SHRINKS',
    'RESUMES',
    'CLAIMS_OWNED',
    'EARLIER_RELEASE',
    'RELEASES_FIRST',
    'ENDS_FIRST',
  ]),
  session('answers-under-way', { FIXED: 1, DELAY: 1 }, ['DEADLINE_FROM_REPLY']),
  session('late-notifications', { FIXED: 1, SHOWN: 1 }, ['OLD_AFTER_NEW']),
  session('hand-over', { FIXED: 1, HANDOVER: 1 }, ['OLD_TOKEN', 'KIND_DECIDES']),
  session('ownership-row-deleted', { FIXED: 1, DELETE_P: 1 }, ['CLAIMS_EMPTY', 'TERM_GOES_ON']),
  session('session-row-deleted', { FIXED: 1, FREE: 1, DELETE_S: 2 }, [
    'MISSING_IS_DEAD',
    'REPEATS_OPEN',
  ]),
  session('edited-rows', { FIXED: 1, EDIT: 1 }, ['TAKES_ANY_OWNER', 'TAKES_ANY_END']),
  session('cannot-write', { FIXED: 1, MUTE: 1 }, ['KEEPS_SESSION']),
  session('drain-time-out', { FIXED: 1, GIVE_UP: 1 }, ['NO_SILENCE']),
  session('different-t', { FIXED: 1, T: 3, T1: 2 }, ['OWN_T']),
  session('reads-first', { FIXED: 1, READS_FIRST: 1 }, ['WAIT_NOT_RESTARTED', 'RELEASES_FIRST']),
  world('drift', 'clocks', { TK: 3 }, [
    'MEMBER_IGNORES_DRIFT',
    'CANDIDATE_IGNORES_DRIFT',
    'FROM_REPLY',
  ]),
  world('listing', 'directory', { T: 4, STALLS: 1 }, ['REMOVES_AT_ONCE', 'BELIEVES_FIRST']),
  session('two-mortal-members', {}, ['DEPOSES_NEWEST']),
  ...[
    session('two-mortal-members-hand-over', { HANDOVER: 1 }, ['HANDOVER_REVIVES']),
    session('next-session', { FIXED: 1, K: 2 }, ['ANY_SESSION']),
    session('next-session-after-drain-time-out', { FIXED: 1, K: 2, GIVE_UP: 1 }, [
      'SILENCE_FORGOTTEN',
    ]),
    session('next-session-late-writes', { FIXED: 1, K: 2, LATE: 1 }, ['DEPOSES_AT_ONCE']),
    session('late-writes-of-the-owner', { FIXED: 1, LATE: 1 }, ['REVIVES']),
    session('late-writes-of-the-candidate', { FIXED: 1, LATE: 2 }, ['DEPOSES_NEWEST']),
    session('proved-death', { FIXED: 1, K: 2, CRASH: 1 }, ['DEATH_BY_NAME']),
    session('empty-store', { FIXED: 1, EMPTY_STORE: 1, DELETE_P: 1 }, ['CLAIMS_MISSING']),
    session('history-lost', { FIXED: 1, LOSS: 1, WINDOW: 2 }, [
      'NO_DOUBT',
      'DOUBTS_OWN_LOSS_ONLY',
      'FOUND_BEGINS',
      'BEGINS_IN_DOUBT',
      'TERM_GOES_ON',
      'ANSWER_WITHOUT_POSITION',
    ]),
    session(
      'history-lost-late-writes',
      { FIXED: 1, FREE: 1, LOSS: 1, WINDOW: 1, LATE: 2, TOKENS: 1 },
      ['ANY_HISTORY'],
    ),
    session('newcomer-after-a-loss', { FIXED: 1, LOSS: 1, WINDOW: 2, NEWCOMER: 1 }, [
      'NO_DOUBT_AT_FIRST',
    ]),
    session('loss-hidden', { FIXED: 1, FREE: 1, LOSS: 1, WINDOW: 2, UNSEEN: 1, HIDES: 1 }, [
      'BEGINS_UNRENEWED',
      'SESSION_GOES_ON',
    ]),
    session(
      'proved-death-history-lost',
      { FIXED: 1, K: 2, CRASH: 1, HAS_DIED: 1, LOSS: 1, WINDOW: 2 },
      ['DEATH_SHORTENS_DOUBT'],
    ),
    session('log-lost-tail', { FIXED: 1, LOSS: 1, WINDOW: 1, DELAY: 1 }, ['DOUBTS_OWN_LOSS_ONLY']),
    session('old-copy', { FIXED: 1, FREE: 1, LOSS: 1, WINDOW: 1, OLD_COPY: 1 }, [
      'TWO_COPIES',
      'TWO_STORES',
    ]),
    session('three-members', { NP: 3, FIXED: 2 }, ['CLAIMS_UNDEPOSED']),
    session('two-partitions', { M: 2, FIXED: 1 }, ['CLAIMS_WITH_DEPOSING']),
    session('swept-rows', { FIXED: 1, K: 3, SWEEP: 1 }, ['NEVER_SWEEPS']),
    session('reads-first-row-deleted', { FIXED: 1, READS_FIRST: 1, DELETE_P: 1 }, [
      'RENEWS_WITHOUT_READING',
    ]),
  ].map((long) => ({ ...long, isLong: true })),
];
