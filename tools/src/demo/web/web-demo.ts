// The demo as a page (`npm start -- --web`): the dashboard of a source that observes, with buttons
// for what may happen to the members.
import { once } from 'node:events';
import type { LeadershipSource } from '@leadership/core';
import { serveOnLoopback } from '@leadership/core/internal/guard';
import { type PageHandler, pageHandler, snapshot } from '@leadership/dashboard/internal';
import { auditTime, interval, merge, Subject } from 'rxjs';
import type { DemoGroup } from '../group.ts';
import { memberNames } from '../member-names.ts';
import { Members } from '../members.ts';
import { violations, WorkRecord } from '../work-record.ts';
import { controlsOf, start } from './controls.ts';
import { WebState } from './web-state.ts';

/** T of this demo. Long enough to watch a lease run out. Milliseconds. */
export const webThresholdMs = 3000;
/** How often the page receives the leases. Milliseconds. */
const refreshMs = 250;
/** Changes within this time are sent together. Milliseconds. */
const gatherMs = 30;

/** The parts that the page runs on. */
export interface WebDemoOptions {
  readonly group: DemoGroup;
  /** Observes the members. */
  readonly source: LeadershipSource;
  /** 0 for any free one. */
  readonly port: number;
  readonly signal: AbortSignal;
}

/** Serves the page until the signal. Returns 1 if two members have led at the same time. */
export async function runWebDemo(options: WebDemoOptions): Promise<number> {
  const { group, source, port, signal } = options;
  const failed = new AbortController();
  const work = new WorkRecord();
  {
    await using members = new Members(group, webThresholdMs, signal);
    const state = new WebState(group, members);
    const changes$ = new Subject<void>();
    members.events$.subscribe({
      next(from) {
        work.note(from);
        if (from.event.kind === 'worked') return;
        state.note(from);
        changes$.next();
      },
      error: (error: unknown) => failed.abort(error),
    });
    for (const name of memberNames) start(name, state);
    state.news = 'Kill the leader, stop it or let it hand over, and see who leads then.';
    const handle = pageFor(source, state, changes$);
    const server = await serveOnLoopback(handle, port);
    console.log(`${memberNames.length} members on ${group.backend}: ${group.home}`);
    console.log(`${server.url}   (Ctrl-C ends the demo)`);
    if (!failed.signal.aborted) await once(failed.signal, 'abort');
    handle.end();
    server.close();
    if (!signal.aborted) throw failed.signal.reason;
  }
  return report(work);
}

function pageFor(source: LeadershipSource, state: WebState, changes$: Subject<void>): PageHandler {
  return pageHandler({
    title: 'Leader election',
    snapshot() {
      const observed = snapshot(source, state.history);
      return {
        ...observed,
        leaders: state.leaders(observed.leaders),
        members: [...state.fates].map(([name, fate]) => ({
          name,
          state: fate === 'running' ? state.stateOf(name) : fate,
          controls: controlsOf(name, state).map(({ act, ...shown }) => shown),
        })),
        news: state.news,
      };
    },
    changes$: merge(merge(changes$, source.events$).pipe(auditTime(gatherMs)), interval(refreshMs)),
    act(member, name) {
      const control = controlsOf(member, state).find((one) => one.name === name);
      if (control === undefined) throw new Error(`${member} has no control ${name} now`);
      if (control.refusal !== undefined) throw new Error(control.refusal);
      control.act();
      console.log(state.news);
      changes$.next();
      return Promise.resolve();
    },
  });
}

function report({ periods, terms, count }: WorkRecord): number {
  const broken = violations(periods);
  for (const sentence of broken) console.error(sentence);
  if (broken.length === 0)
    console.log(`never two commands at once in ${terms} terms (${count} lines of output)`);
  return broken.length === 0 ? 0 : 1;
}
