import type { IncomingMessage, ServerResponse } from 'node:http';
import type { LeadershipSource } from '@leadership/core';
import { auditTime, interval, merge, type Observable, share, startWith, takeWhile } from 'rxjs';
import { readPage } from './page.ts';
import { snapshot } from './snapshot.ts';
import { TermHistory } from './term-history.ts';

/** Options of {@link dashboard}. */
export interface DashboardOptions {
  /** The title of the page. Default: the name of the group. */
  readonly title?: string;
}

/** A request handler that serves the page. Disposing ends its streams; the source stays open. */
export interface Dashboard extends Disposable {
  /** Answers a request. */
  (request: IncomingMessage, response: ServerResponse): void;
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
  const streams = new Set<ServerResponse>();
  const page = readPage();
  const html = page.html.replaceAll('{{title}}', () => escaped(title ?? source.group));
  const changes$: Observable<unknown> = merge(
    source.events$.pipe(auditTime(gatherMs)),
    interval(refreshMs),
  ).pipe(share());

  const sendStates = (response: ServerResponse): void => {
    response.writeHead(200, {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      // Some proxies would gather the events.
      'x-accel-buffering': 'no',
    });
    streams.add(response);
    const sending = changes$
      .pipe(
        startWith(undefined),
        takeWhile(() => !response.destroyed),
      )
      .subscribe(() =>
        response.write(`data: ${JSON.stringify(snapshot(source, history.terms))}\n\n`),
      );
    response.once('close', () => {
      streams.delete(response);
      sending.unsubscribe();
    });
  };

  const sendPage = (response: ServerResponse): void => {
    response.writeHead(200, {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': page.contentSecurityPolicy,
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    });
    response.end(html);
  };

  const handle = (request: IncomingMessage, response: ServerResponse): void => {
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.writeHead(405, { allow: 'GET, HEAD' }).end();
    } else if (request.method === 'GET' && (request.url ?? '').endsWith('?events')) {
      sendStates(response);
    } else {
      sendPage(response);
    }
  };

  const dispose = (): void => {
    history[Symbol.dispose]();
    for (const response of streams) response.end();
  };
  // An open stream would keep a closing server waiting.
  source.events$.subscribe({ complete: dispose });
  return Object.assign(handle, { [Symbol.dispose]: dispose });
}

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}
