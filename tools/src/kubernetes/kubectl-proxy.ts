// Does what `kubectl proxy` does: member processes reach the server by a URL alone, without secrets.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { Agent, request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream/promises';
import type { LocalKubernetes } from './local-kubernetes.ts';

/** A server on this host that adds the token of the administrator to each request. */
export interface KubectlProxy extends AsyncDisposable {
  /** As `http://127.0.0.1:PORT`. */
  readonly url: string;
  /**
   * Answers each request with 429, as a server that has too many, and asks for a pause. Until disposed.
   * `count` is the number of requests so far.
   */
  refuse(seconds: number): Disposable & { readonly count: number };
}

/** Starts a proxy. */
export async function kubectlProxy({ url, ca, token }: LocalKubernetes): Promise<KubectlProxy> {
  const agent = new Agent({ keepAlive: true, ca });
  let busy: { count: number; readonly seconds: number } | undefined;
  const proxy = createServer((asked, answer) => {
    if (busy) {
      busy.count += 1;
      answer
        .writeHead(429, { 'retry-after': String(busy.seconds) })
        .end('{"message":"too many requests"}');
      return;
    }
    const headers = { ...asked.headers, authorization: `Bearer ${token}` };
    const sent = request(new URL(asked.url ?? '', url), { agent, headers, method: asked.method });
    sent.on('response', (response) => {
      answer.writeHead(response.statusCode ?? 502, response.headers);
      // A watch says with its headers that it has begun.
      answer.flushHeaders();
      pipeline(response, answer).catch(() => response.destroy());
    });
    sent.on('error', () => answer.destroy());
    answer.on('close', () => sent.destroy());
    asked.pipe(sent);
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  return {
    url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    refuse(seconds) {
      const refusing = { count: 0, seconds };
      busy = refusing;
      return {
        get count() {
          return refusing.count;
        },
        [Symbol.dispose]() {
          busy = undefined;
        },
      };
    },
    async [Symbol.asyncDispose]() {
      proxy.close();
      proxy.closeAllConnections();
      agent.destroy();
    },
  };
}
