// The page of a source for an application: `dashboard(source)`.
import type { LeadershipSource } from '@leadership/core';
import { auditTime, interval, merge, share } from 'rxjs';
import { pageHandler } from './page-handler.ts';
import { snapshot } from './snapshot.ts';
import type { HttpRequest, HttpResponse } from './state-stream.ts';
import { TermHistory } from './term-history.ts';

/** Options of {@link dashboard}. */
export interface DashboardOptions {
  /** The title of the page. Default: the name of the group. */
  readonly title?: string;
}

/** A request handler that serves the page. Disposing ends its streams; the source stays open. */
export interface Dashboard extends Disposable {
  /** Answers a request. */
  (request: HttpRequest, response: HttpResponse): void;
}

/** How often the page receives the state although nothing has changed. Milliseconds. */
const refreshMs = 1000;
/** Changes within this time are sent together. Milliseconds. */
const gatherMs = 50;

/**
 * Returns a request handler that shows who leads which partition. It only reads. It checks no
 * credentials: mount it where other pages for operators are.
 *
 * @param source - the source whose group is shown; the page also shows its own leases
 */
export function dashboard(source: LeadershipSource, { title }: DashboardOptions = {}): Dashboard {
  const history = new TermHistory(source);
  const handle = pageHandler({
    title: title ?? source.group,
    snapshot: () => snapshot(source, history),
    changes$: merge(source.events$.pipe(auditTime(gatherMs)), interval(refreshMs)).pipe(share()),
  });
  const dispose = (): void => {
    history[Symbol.dispose]();
    handle.end();
  };
  // An open stream would keep a closing server waiting.
  source.events$.subscribe({ complete: dispose });
  return Object.assign(
    (request: HttpRequest, response: HttpResponse): void => handle(request, response),
    { [Symbol.dispose]: dispose },
  );
}
