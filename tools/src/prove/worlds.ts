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
    options: { FIXED: 1, DELETE_S: 1 },
    mutants: ['MISSING_IS_DEAD'],
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
];
