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

/** All worlds. One session that need not renew (`FIXED`) keeps most of them small. */
export const worlds: readonly World[] = [
  {
    name: 'claims',
    model: 'session',
    options: { FIXED: 1 },
    mutants: [
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
    ],
  },
  {
    name: 'answers-under-way',
    model: 'session',
    options: { FIXED: 1, DELAY: 1 },
    mutants: ['DEADLINE_FROM_REPLY'],
  },
  {
    name: 'hand-over',
    model: 'session',
    options: { FIXED: 1, HANDOVER: 1 },
    mutants: ['OLD_TOKEN', 'KIND_DECIDES'],
  },
  {
    name: 'ownership-row-deleted',
    model: 'session',
    options: { FIXED: 1, DELETE_P: 1 },
    mutants: ['CLAIMS_EMPTY', 'TERM_GOES_ON'],
  },
  {
    name: 'session-row-deleted',
    model: 'session',
    options: { FIXED: 1, FREE: 1, DELETE_S: 2 },
    mutants: ['MISSING_IS_DEAD', 'REPEATS_OPEN'],
  },
  {
    name: 'cannot-write',
    model: 'session',
    options: { FIXED: 1, MUTE: 1 },
    mutants: ['KEEPS_SESSION'],
  },
  {
    name: 'drain-time-out',
    model: 'session',
    options: { FIXED: 1, GIVE_UP: 1 },
    mutants: ['NO_SILENCE'],
  },
  {
    name: 'different-t',
    model: 'session',
    options: { FIXED: 1, T: 3, T1: 2 },
    mutants: ['OWN_T'],
  },
  {
    name: 'reads-first',
    model: 'session',
    options: { FIXED: 1, READS_FIRST: 1 },
    mutants: ['WAIT_NOT_RESTARTED', 'RELEASES_FIRST'],
  },
  {
    name: 'clocks',
    model: 'drift',
    options: { TK: 3 },
    mutants: ['MEMBER_IGNORES_DRIFT', 'CANDIDATE_IGNORES_DRIFT', 'FROM_REPLY'],
  },
  {
    name: 'directory',
    model: 'listing',
    options: { T: 4, STALLS: 1 },
    mutants: ['REMOVES_AT_ONCE', 'BELIEVES_FIRST'],
  },
  {
    name: 'two-mortal-members',
    model: 'session',
    options: {},
    mutants: ['DEPOSES_NEWEST'],
  },
  {
    name: 'two-mortal-members-hand-over',
    model: 'session',
    options: { HANDOVER: 1 },
    mutants: ['HANDOVER_REVIVES'],
    isLong: true,
  },
  {
    name: 'next-session',
    model: 'session',
    options: { FIXED: 1, K: 2 },
    mutants: ['ANY_SESSION'],
    isLong: true,
  },
  {
    name: 'next-session-after-drain-time-out',
    model: 'session',
    options: { FIXED: 1, K: 2, GIVE_UP: 1 },
    mutants: ['SILENCE_FORGOTTEN'],
    isLong: true,
  },
  {
    name: 'next-session-late-writes',
    model: 'session',
    options: { FIXED: 1, K: 2, LATE: 1 },
    mutants: ['DEPOSES_AT_ONCE'],
    isLong: true,
  },
  {
    name: 'late-writes-of-the-owner',
    model: 'session',
    options: { FIXED: 1, LATE: 1 },
    mutants: ['REVIVES'],
    isLong: true,
  },
  {
    name: 'late-writes-of-the-candidate',
    model: 'session',
    options: { FIXED: 1, LATE: 2 },
    mutants: ['DEPOSES_NEWEST'],
    isLong: true,
  },
  {
    name: 'proved-death',
    model: 'session',
    options: { FIXED: 1, K: 2, CRASH: 1 },
    mutants: ['DEATH_BY_NAME'],
    isLong: true,
  },
  {
    name: 'empty-store',
    model: 'session',
    options: { FIXED: 1, EMPTY_STORE: 1, DELETE_P: 1 },
    mutants: ['CLAIMS_MISSING'],
    isLong: true,
  },
  {
    name: 'history-lost',
    model: 'session',
    options: { FIXED: 1, LOSS: 1, WINDOW: 2 },
    mutants: [
      'NO_DOUBT',
      'DOUBTS_OWN_LOSS_ONLY',
      'FOUND_BEGINS',
      'BEGINS_IN_DOUBT',
      'TERM_GOES_ON',
      'ANSWER_WITHOUT_POSITION',
    ],
    isLong: true,
  },
  {
    name: 'newcomer-after-a-loss',
    model: 'session',
    options: { FIXED: 1, LOSS: 1, WINDOW: 2, NEWCOMER: 1 },
    mutants: ['NO_DOUBT_AT_FIRST'],
    isLong: true,
  },
  {
    name: 'log-lost-tail',
    model: 'session',
    options: { FIXED: 1, LOSS: 1, WINDOW: 1, DELAY: 1 },
    mutants: ['DOUBTS_OWN_LOSS_ONLY'],
    isLong: true,
  },
  {
    name: 'old-copy',
    model: 'session',
    options: { FIXED: 1, FREE: 1, LOSS: 1, WINDOW: 1, OLD_COPY: 1 },
    mutants: ['TWO_COPIES', 'TWO_STORES'],
    isLong: true,
  },
  {
    name: 'three-members',
    model: 'session',
    options: { NP: 3, FIXED: 2 },
    mutants: ['CLAIMS_UNDEPOSED'],
    isLong: true,
  },
  {
    name: 'two-partitions',
    model: 'session',
    options: { M: 2, FIXED: 1 },
    mutants: ['CLAIMS_WITH_DEPOSING'],
    isLong: true,
  },
  {
    name: 'swept-rows',
    model: 'session',
    options: { FIXED: 1, K: 3, SWEEP: 1 },
    mutants: ['NEVER_SWEEPS'],
    isLong: true,
  },
  {
    name: 'reads-first-row-deleted',
    model: 'session',
    options: { FIXED: 1, READS_FIRST: 1, DELETE_P: 1 },
    mutants: ['RENEWS_WITHOUT_READING'],
    isLong: true,
  },
];

/** Mutants that no world refutes yet. Each is either a world that is missing, or a rule too many. */
export const survivors: readonly string[] = [
  'OLD_AFTER_NEW',
  'SESSION_GOES_ON',
  'ANY_HISTORY',
  'DEATH_SHORTENS_DOUBT',
];
