// For every check of the contract of rows, a store in memory that breaks its promise.
import { LeadershipError } from '@leadership/core';
import type { Exchange, Exchanged, RowChange } from '@leadership/core/adapter';
import { type Flaws, notify, pause } from './memory-rows.ts';

/** A store that breaks one promise. */
export interface WrongStore {
  /** A short description of the defect. */
  readonly what: string;
  /** The message with which the check has to fail. */
  readonly says: RegExp;
  /** Returns the flaws, with a state of their own. */
  flaws(): Flaws;
}

function wrong(what: string, says: RegExp, flaws: Flaws | (() => Flaws)): WrongStore {
  return { what, says, flaws: typeof flaws === 'function' ? flaws : () => flaws };
}

/** Changes each change of a request on its way. */
function changing(change: (change: RowChange) => Partial<RowChange>): Flaws {
  return {
    request: (request) => ({
      ...request,
      changes: request.changes.map((one) => ({ ...one, ...change(one) })),
    }),
  };
}

/** Changes all texts of a request, names included. */
function misreading(read: (text: string) => string): Flaws {
  const text = (one: string | null): string | null => (one === null ? null : read(one));
  return changing((change) => ({
    name: read(change.name),
    expected: text(change.expected),
    text: text(change.text),
  }));
}

/** Loses some of the rows of each answer that is not whole. */
function hiding(isHidden: (text: string | null, made: boolean | undefined) => boolean): Flaws {
  return {
    answer(answer, { request: { changes } }) {
      const made = new Map(changes.map(({ name }, index) => [name, answer.outcomes[index]]));
      const rows = answer.rows.filter(([name, text]) => !isHidden(text, made.get(name)));
      return answer.isWhole ? answer : { ...answer, rows };
    },
  };
}

function nothingOf({ changes, since }: Exchange, isMade: boolean): Exchanged {
  return { outcomes: changes.map(() => isMade), rows: [], position: since, isWhole: false };
}

const conditions: Readonly<Record<string, WrongStore | readonly WrongStore[]>> = {
  'changed-on-condition': [
    wrong('a store that compares nothing', /the outcome of the change \["a","x","1"\]/, {
      exchange: ({ group, request }) =>
        group.exchange({
          ...request,
          changes: request.changes.map((one) => ({
            ...one,
            expected: group.store.rows.get(one.name) ?? null,
          })),
        }),
    }),
    wrong('a store that creates rows on any condition', /the outcome of the change/, {
      exchange: ({ group, request }) =>
        group.exchange({
          ...request,
          changes: request.changes.map((one) =>
            group.store.rows.has(one.name) ? one : { ...one, expected: null },
          ),
        }),
    }),
  ],
  'each-on-its-own': wrong('a batch that is made as a whole', /the outcomes of the batch/, {
    exchange({ group, request }) {
      const isWhole = request.changes.every(
        ({ name, expected }) => (group.store.rows.get(name) ?? null) === expected,
      );
      if (isWhole) return group.exchange(request);
      const answer = group.exchange({ ...request, changes: [] });
      return { ...answer, outcomes: request.changes.map(() => false) };
    },
  }),
  'empty-text': wrong(
    'a store where an empty text is none',
    /the row does not exist/,
    changing(({ expected }) => ({ expected: expected || null })),
  ),
  'repeated-batch': wrong('a change that is made again', /the outcomes of the repetition/, {
    answer: (answer, { request, group }) => ({
      ...answer,
      outcomes: request.changes.map(
        ({ name, text }) => (group.store.rows.get(name) ?? null) === text,
      ),
    }),
  }),
  'full-batch': wrong('a store that takes ten changes', /all are created/, {
    exchange({ group, request }) {
      const answer = group.exchange({ ...request, changes: request.changes.slice(0, 10) });
      const outcomes = request.changes.map((_, index) => answer.outcomes[index] ?? false);
      return { ...answer, outcomes };
    },
  }),
  'like-a-map': wrong('a whole answer from before the changes', /the rows after step/, {
    exchange({ group, request }) {
      const before = [...group.store.rows];
      const answer = group.exchange(request);
      return answer.isWhole ? { ...answer, rows: before } : answer;
    },
  }),
  'hostile-texts': [
    wrong(
      'a store that trims',
      /is made/,
      misreading((text) => text.trim()),
    ),
    wrong(
      'a store that normalizes',
      /is made/,
      misreading((text) => text.normalize('NFC')),
    ),
    wrong(
      'a store that ignores case',
      /is made/,
      misreading((text) => text.toLowerCase()),
    ),
    wrong(
      'a store that reads escapes',
      /what the member knows/,
      misreading((text) => text.replaceAll('\\x00', '')),
    ),
  ],
  nul: wrong(
    'a store that ends texts at NUL',
    /is made/,
    misreading((text) => text.replace(/\0.*/s, '')),
  ),
  'long-texts': [
    wrong(
      'a store that cuts texts off',
      /of ASCII is cut off/,
      misreading((text) => text.slice(0, 65_000)),
    ),
    wrong(
      'a store that counts characters',
      /the outcomes for long texts/,
      misreading((text) => (text.includes('x') ? text : text.slice(0, 30_000))),
    ),
  ],
  'groups-apart': [
    wrong('groups in one directory', /its rows are new/, {
      groupOf: (name) => name.split('/')[0] ?? '',
    }),
    wrong('groups by a pattern', /its rows are new/, {
      groupOf: (name) => name.replace(/[%_]$/, ''),
    }),
  ],
};

const reading: Readonly<Record<string, WrongStore | readonly WrongStore[]>> = {
  'shows-its-changes': [
    wrong(
      'an answer without what was refused',
      /whose change was refused/,
      hiding((_, made) => made === false),
    ),
    wrong(
      'an answer without what was made',
      /that was changed/,
      hiding((_, made) => made === true),
    ),
  ],
  'since-position': wrong(
    'an answer without removals',
    /what has changed/,
    hiding((text) => text === null),
  ),
  'removed-and-created': wrong(
    'removals that are found by the number of rows',
    /a row was removed/,
    () => {
      const counts = new WeakMap<object, number>();
      return {
        answer(answer, { request, group }) {
          const before = counts.get(Object(request.since));
          const count = group.store.rows.size;
          counts.set(Object(answer.position), count);
          const rows = answer.rows.filter(([, text]) => text !== null || before !== count);
          return answer.isWhole ? answer : { ...answer, rows };
        },
      };
    },
  ),
  'old-position': wrong('a store that keeps the positions itself', /all since the position/, {
    rows(rows) {
      let since: unknown;
      return {
        async exchange(request, signal) {
          const answer = await rows.exchange({ ...request, since: since ?? request.since }, signal);
          since = answer.position;
          return answer;
        },
      };
    },
  }),
  'whole-on-request': wrong('a store that never shows all', /the answer is whole/, {
    request: (request) => ({ ...request, isWhole: false }),
  }),
  'acknowledged-is-read': wrong('readings of an old copy', /the acknowledged text/, {
    exchange({ group, request }) {
      const store = request.changes.length > 0 ? undefined : group.olders.at(-1);
      return store?.exchange(request) ?? group.exchange(request);
    },
  }),
  'lagging-reads': wrong('readings of any old copy', /after version/, {
    exchange({ group, request }) {
      const store = request.mayLag ? group.olders.at(-4) : undefined;
      return store?.exchange({ ...request, isWhole: true }) ?? group.exchange(request);
    },
  }),
  'hand-edits': wrong('a column that only members set', /what a person has done/, {
    store: (_, groups) => ({
      put: async (group, name, text) => groups(group).setSecretly(name, text),
    }),
  }),
  'late-commits': wrong('numbers that are given when a change begins', /the late commit/, {
    store: (_, groups) => ({
      async begin(group, name, text) {
        const { store } = groups(group);
        store.put(name, store.rows.get(name) ?? null);
        return async () => groups(group).setSecretly(name, text);
      },
    }),
  }),
  'locked-rows': wrong('rows that are not locked', /one is locked/, {
    store: (_, groups) => ({
      begin: async (group, name, text) => async () => groups(group).store.put(name, text),
    }),
  }),
  'missing-store': wrong('an observer that needs the table', /does not exist/, {
    rows(rows) {
      let mayCreate = true;
      return {
        async open(_, creates) {
          mayCreate = creates;
        },
        async exchange(request, signal) {
          const answer = await rows.exchange(request, signal);
          if (mayCreate || answer.rows.length > 0) return answer;
          throw new LeadershipError('misconfigured-backend', 'the table does not exist');
        },
      };
    },
  }),
};

const members: Readonly<Record<string, WrongStore | readonly WrongStore[]>> = {
  'one-winner': wrong('a comparison before the change', /members .* succeeded/, {
    async exchange({ group, request }) {
      const outcomes = request.changes.map(
        ({ name, expected }) => (group.store.rows.get(name) ?? null) === expected,
      );
      await pause();
      for (const [index, { name, text }] of request.changes.entries())
        if (outcomes[index]) group.store.put(name, text);
      return { ...group.store.exchange({ ...request, changes: [] }), outcomes };
    },
  }),
  'no-row-is-missed': [
    wrong('numbers that are given before the commit', /in the end|although/, {
      async exchange({ group, request }) {
        const { store } = group;
        for (const { name } of request.changes) store.put(name, store.rows.get(name) ?? null);
        await pause();
        const outcomes = request.changes.map(({ name, expected, text }) => {
          if ((store.rows.get(name) ?? null) !== expected) return false;
          group.setSecretly(name, text);
          return true;
        });
        return { ...store.exchange({ ...request, changes: [] }), outcomes };
      },
    }),
    wrong('readings that are twenty changes late', /a newer change was acknowledged|existed/, {
      exchange({ group, request }) {
        const store = request.changes.length > 0 ? undefined : group.olders.at(-20);
        // In the end it shows everything.
        const isLate = request.isWhole !== true && group.olders.length < 400;
        return (isLate ? store : undefined)?.exchange(request) ?? group.exchange(request);
      },
    }),
    wrong('comparisons that are not one step with the change', /two changes of row/, {
      async exchange({ group, request }) {
        const { store } = group;
        const outcomes = request.changes.map(
          ({ name, expected }) => (store.rows.get(name) ?? null) === expected,
        );
        await pause();
        for (const [index, { name, text }] of request.changes.entries())
          if (outcomes[index]) store.put(name, text);
        return { ...store.exchange({ ...request, changes: [] }), outcomes };
      },
    }),
  ],
  'lost-reply': wrong('a lost reply that counts as a refusal', /without a reply rejects/, {
    rows: (rows) => ({
      exchange: (request, signal) =>
        rows.exchange(request, signal).catch(() => nothingOf(request, false)),
    }),
  }),
  'aborted-before': wrong('a request without its signal', /the request rejects/, {
    rows: (rows) => ({
      exchange: (request) => rows.exchange(request, new AbortController().signal),
    }),
  }),
  'aborted-under-way': wrong(
    'a request that counts as made when it is given up',
    /a change that was made is read/,
    {
      rows: (rows) => ({
        async exchange(request, signal) {
          await pause();
          return signal.aborted ? nothingOf(request, true) : rows.exchange(request, signal);
        },
      }),
    },
  ),
  closed: wrong('rows that never close', /a request after close rejects/, {
    rows: () => ({ close: () => undefined }),
  }),
  notifies: wrong('a store that never notifies', /the other member is woken/, {
    notify: () => undefined,
    store: () => ({ timeoutMs: 200 }),
  }),
  announces: [
    wrong('a store that only notifies of what is awaited', /shown the change, or woken/, {
      notify: (arrival, news) =>
        notify(
          arrival,
          news.filter(({ isAwaited }) => isAwaited),
        ),
      store: () => ({ timeoutMs: 200 }),
    }),
    wrong('a store that shows what it refused', /shown a change that was not made/, {
      notify: (arrival) => notify(arrival, arrival.request.changes),
    }),
  ],
  'notifies-own-group': [
    wrong('one channel for all groups', /woken by another group/, {
      notify({ all }) {
        for (const group of all) group.notify();
      },
    }),
    wrong('a listener without an end', /woken after it has stopped/, { listensForEver: true }),
  ],
  'restored-backup': [
    wrong('a store that does not notice', /receives another history/, {
      store: (_, groups) => ({ restore: silently(groups) }),
    }),
    wrong('changes before the comparison', /nothing is changed for|receives the kept rows/, {
      exchange({ group, request }) {
        const made = request.changes.map((change) => group.store.change(change));
        const answer = group.store.exchange({ ...request, changes: [] });
        return { ...answer, outcomes: made.map((isMade) => isMade && !answer.isRestarted) };
      },
    }),
  ],
  'promoted-replica': wrong('a replica with the same number', /receives another history/, {
    store: (_, groups) => ({ promote: silently(groups) }),
  }),
};

/** Goes back without another history. */
function silently(groups: Parameters<NonNullable<Flaws['store']>>[1]) {
  return async (during: () => Promise<void>): Promise<void> => {
    const backups = [...groups.all].map((group) => [group, group.store.copy()] as const);
    await during();
    for (const [group, backup] of backups) group.store = backup;
  };
}

/** The wrong stores, by the id of the check that refutes them. */
export const wrongStores: Readonly<Record<string, WrongStore | readonly WrongStore[]>> = {
  ...conditions,
  ...reading,
  ...members,
};
