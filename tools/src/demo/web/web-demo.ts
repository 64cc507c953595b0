// The demo as a page (`npm start -- --web`): three members, and buttons for what may happen to them.
import { serveOnLoopback } from '@leadership/core/internal/guard';
import { type PageHandler, pageHandler } from '@leadership/dashboard/internal';
import { auditTime, interval, merge, Subject } from 'rxjs';
import type { Environment } from '../environment.ts';
import { memberNames } from '../member-names.ts';
import { Members } from '../members.ts';
import { Observations, violations } from '../observations.ts';
import { controlsOf, type Demo, start } from './controls.ts';
import { introduction, WebState } from './web-state.ts';

/** T of this demo. Long enough to watch a lease run out. Milliseconds. */
const thresholdMs = 3000;
/** How often the page receives the leases. Milliseconds. */
const refreshMs = 250;
/** Changes within this time are sent together. Milliseconds. */
const gatherMs = 30;

/** The parts that the page runs on. */
export interface WebDemoOptions {
  readonly environment: Environment;
  /** 0 for any free one. */
  readonly port: number;
  readonly signal: AbortSignal;
}

/** Serves the page until the signal. Returns 1 if two members have led at the same time. */
export async function runWebDemo({ environment, port, signal }: WebDemoOptions): Promise<number> {
  const failed = new AbortController();
  await using members = new Members(environment, thresholdMs, signal);
  const demo: Demo = { environment, members, state: new WebState() };
  const observations = new Observations();
  const changes$ = new Subject<void>();
  members.messages$.subscribe({
    next(from) {
      if (from.message.kind === 'observation') observations.add(from.member, from.message);
      demo.state.note(from);
      if (from.message.kind !== 'observation') changes$.next();
    },
    error: (error: unknown) => failed.abort(error),
  });
  for (const name of memberNames) start(name, demo);
  demo.state.news = introduction;
  const handle = pageFor(demo, changes$);
  const server = await serveOnLoopback(handle, port);
  console.log(`${memberNames.length} members on ${environment.backend}: ${environment.home}`);
  console.log(`${server.url}   (Ctrl-C ends the demo)`);
  await aborted(failed.signal);
  handle.end();
  server.close();
  if (!signal.aborted) throw failed.signal.reason;
  return report(observations);
}

function pageFor(demo: Demo, changes$: Subject<void>): PageHandler {
  const { state } = demo;
  return pageHandler({
    title: 'Leader election',
    snapshot: () => ({
      ...state.snapshot(),
      members: [...state.members.values()].map(({ name, fate, state: own }) => ({
        name,
        state: fate === 'running' ? own : fate,
        controls: controlsOf(name, demo).map(({ act, ...shown }) => shown),
      })),
    }),
    changes$: merge(changes$.pipe(auditTime(gatherMs)), interval(refreshMs)),
    act(member, name) {
      const control = controlsOf(member, demo).find((one) => one.name === name);
      if (control === undefined) throw new Error(`${member} has no control ${name} now`);
      if (control.refusal !== undefined) throw new Error(control.refusal);
      control.act();
      console.log(state.news);
      changes$.next();
      return Promise.resolve();
    },
  });
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) =>
    signal.aborted ? resolve() : signal.addEventListener('abort', () => resolve(), { once: true }),
  );
}

function report({ terms, count }: Observations): number {
  const broken = violations(terms);
  for (const sentence of broken) console.error(sentence);
  if (broken.length === 0)
    console.log(`never two leaders in ${terms.length} terms (${count} observations)`);
  return broken.length === 0 ? 0 : 1;
}
