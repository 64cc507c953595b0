// Streams the state of a group to one open page.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2';
import type { Writable } from 'node:stream';
import { writeHead } from '@leadership/core/internal';

/** A request over HTTP/1, or over HTTP/2 by Node's compatibility API. */
export type HttpRequest = IncomingMessage | Http2ServerRequest;

/** The response to a {@link HttpRequest}. */
export type HttpResponse = ServerResponse | Http2ServerResponse;

/** How long a reader may take to receive the end of its stream. Milliseconds. */
const endMsMax = 1000;

/** Sends the state to one reader, as server-sent events: all of it, and then what has changed. */
export class StateStream {
  readonly #response: HttpResponse;
  readonly #message: () => string;
  /** The reader is slower than the states: none is sent until it has received what was. */
  #isFull = false;
  /** A state was left out meanwhile. */
  #isBehind = false;
  #isEnded = false;

  /** `message` returns the changes since its last call. */
  constructor(request: HttpRequest, response: HttpResponse, message: () => string) {
    this.#response = response;
    this.#message = message;
    writeHead(response, 200, {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      // Some proxies would gather the events.
      'x-accel-buffering': 'no',
      // A connection that is kept would keep a closing server waiting. HTTP/2 has no such header.
      ...(request.httpVersionMajor < 2 && { connection: 'close' }),
    });
    response.on('drain', () => {
      this.#isFull = false;
      if (this.#isBehind) this.send();
    });
  }

  /**
   * Sends what has changed. To a reader that is too slow it sends all changes together, once the
   * reader has received the earlier ones: a reader that reads nothing must not fill the memory.
   */
  send(): void {
    if (this.#isEnded) return;
    this.#isBehind = this.#isFull;
    if (!this.#isFull)
      this.#isFull = !(this.#response as Writable).write(`data: ${this.#message()}\n\n`);
  }

  /** Ends the stream. If the reader does not receive the end in time, closes its connection. */
  end(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    const response = this.#response;
    const timer = setTimeout(() => response.destroy(), endMsMax);
    response.once('close', () => clearTimeout(timer));
    response.end();
  }
}
