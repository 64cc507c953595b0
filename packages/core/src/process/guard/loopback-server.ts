// Serves the page of `leadership watch` to browsers of this host only.
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import { type AddressInfo, isIPv6 } from 'node:net';
import { isLoopback } from '../is-loopback.ts';

/** The errors of a host that has no IPv4 address. */
const withoutIPv4: readonly string[] = ['EADDRNOTAVAIL', 'EAFNOSUPPORT'];

/** An HTTP server that only processes of this host can reach. */
export interface LoopbackServer {
  /** `http://127.0.0.1:PORT/`, or `http://[::1]:PORT/` on a host without IPv4. */
  readonly url: string;
  /** Ends all connections. */
  close(): void;
}

/**
 * Serves pages to this host. A request that names another host is answered with 421: another site
 * can bind its own name to a loopback address, and its scripts could then read the pages and use
 * them (DNS rebinding). `port`: 0 for any free one.
 */
export async function serveOnLoopback(
  listener: RequestListener,
  port: number,
): Promise<LoopbackServer> {
  const server = createServer((request, response) => {
    if (isAddressedHere(request)) return listener(request, response);
    response.writeHead(421, { 'content-type': 'text/plain; charset=utf-8' });
    response.end('this page is served under the names of this host only, such as localhost\n');
  });
  const listens = (host: string): Promise<string> =>
    new Promise((resolve, reject) => {
      server.once('error', reject).listen(port, host, () => {
        server.off('error', reject);
        resolve(isIPv6(host) ? `[${host}]` : host);
      });
    });
  const host = await listens('127.0.0.1').catch((error: NodeJS.ErrnoException) => {
    if (!withoutIPv4.includes(error.code ?? '')) throw error;
    return listens('::1');
  });
  const { port: chosen } = server.address() as AddressInfo;
  return {
    url: `http://${host}:${chosen}/`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** Whether the request names a loopback address. Tunnels change the port. */
function isAddressedHere({ headers: { host = '' } }: IncomingMessage): boolean {
  const url = `http://${host}`;
  return URL.canParse(url) && isLoopback(new URL(url).hostname.replace(/^\[|\]$/g, ''));
}
