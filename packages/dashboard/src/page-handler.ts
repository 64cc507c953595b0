// Serves the page and its events over HTTP, whatever state it shows: that of a source, or that of
// the demo.
import { randomUUID, timingSafeEqual } from 'node:crypto';
import { printable, writeHead } from '@leadership/core/internal';
import { type Observable, share, tap } from 'rxjs';
import { readPage } from './page.ts';
import { messageOf, type Parts, PartsReader } from './parts.ts';
import type { Snapshot } from './snapshot.ts';
import { type HttpRequest, type HttpResponse, StateStream } from './state-stream.ts';

/** The content of the page. */
export interface PageParts {
  readonly title: string;
  readonly snapshot: () => Snapshot;
  /** Emits when the page should receive what has changed. */
  readonly changes$: Observable<unknown>;
  /**
   * Executes a control of a member, as the snapshot offers it. Rejects with what is wrong. Without
   * this function the page only reads.
   */
  readonly act?: (member: string, control: string) => Promise<void>;
}

/** A request handler that serves the page. */
export interface PageHandler {
  (request: HttpRequest, response: HttpResponse): void;
  /**
   * Ends the streams, which would keep a closing server waiting. Later ones receive one state, and
   * end.
   */
  end(): void;
}

/** Creates a request handler for the page, its events, and the controls if there are any. */
export function pageHandler(parts: PageParts): PageHandler {
  const streams = new Set<StateStream>();
  const reader = new PartsReader(parts.snapshot);
  // One reading serves all open pages.
  let present: Parts;
  const readings$ = parts.changes$.pipe(
    tap(() => {
      present = reader.read();
    }),
    share(),
  );
  let isOver = false;
  const secret = randomUUID();
  const page = readPage();
  const html = page.html
    .replaceAll('{{title}}', () => escaped(printable(parts.title)))
    .replace('{{secret}}', parts.act ? secret : '');

  const sendStates = (request: HttpRequest, response: HttpResponse): void => {
    let sent: Parts | undefined;
    present = reader.read();
    const stream = new StateStream(request, response, () => {
      const message = messageOf(sent, present);
      sent = present;
      return message;
    });
    stream.send();
    if (isOver) return stream.end();
    streams.add(stream);
    const sending = readings$.subscribe(() => stream.send());
    response.once('close', () => {
      streams.delete(stream);
      sending.unsubscribe();
    });
  };

  const sendPage = (response: HttpResponse): void => {
    writeHead(response, 200, {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': page.contentSecurityPolicy,
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    });
    response.end(html);
  };

  const read = (request: HttpRequest, response: HttpResponse): void =>
    request.method === 'GET' && request.url?.endsWith('?events')
      ? sendStates(request, response)
      : sendPage(response);
  const { act } = parts;
  const handle = (request: HttpRequest, response: HttpResponse): void => {
    const { method = '' } = request;
    if (['GET', 'HEAD'].includes(method)) return read(request, response);
    if (act && method === 'POST') return void execute(act, secret, request, response);
    writeHead(response, 405, { allow: act ? 'GET, HEAD, POST' : 'GET, HEAD' });
    response.end();
  };
  const end = (): void => {
    isOver = true;
    for (const stream of streams) stream.end();
  };
  return Object.assign(handle, { end });
}

/** The largest body of a request. Bytes. */
const bodyMax = 1000;

async function execute(
  act: NonNullable<PageParts['act']>,
  secret: string,
  request: HttpRequest,
  response: HttpResponse,
): Promise<void> {
  const answer = (code: number, text = ''): void => {
    writeHead(response, code, {});
    response.end(text);
  };
  if (!isFromPage(request, secret)) return answer(403, 'only this page may do that');
  try {
    const { member, control } = await bodyOf(request);
    await act(member, control);
    answer(204);
  } catch (error) {
    answer(409, error instanceof Error ? error.message : String(error));
  }
}

/** The names under which a browser of this host reaches a loopback address. */
const loopback = /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/;

/**
 * Returns whether the page itself has sent the request. Another site cannot read the secret, and
 * cannot set this header without a permission that this server never gives. A name that another
 * site has bound to a loopback address is refused as well.
 */
function isFromPage({ headers }: HttpRequest, secret: string): boolean {
  const { host = '', origin } = headers;
  const sent = Buffer.from(String(headers['x-page-secret'] ?? ''));
  return (
    loopback.test(host) &&
    (origin === undefined || origin === `http://${host}`) &&
    sent.length === secret.length &&
    timingSafeEqual(sent, Buffer.from(secret))
  );
}

async function bodyOf(request: HttpRequest): Promise<{ member: string; control: string }> {
  let text = '';
  for await (const part of request.setEncoding('utf8')) {
    text += part;
    if (text.length > bodyMax) throw new Error('the request is too large');
  }
  const body: unknown = JSON.parse(text);
  const { member, control } = Object(body) as Record<string, unknown>;
  return { member: String(member), control: String(control) };
}

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}
