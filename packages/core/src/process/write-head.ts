import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { Http2ServerResponse } from 'node:http2';

/**
 * Sends status and headers of a response over HTTP/1 or HTTP/2: TypeScript cannot call the method
 * of either kind.
 */
export function writeHead(
  response: ServerResponse | Http2ServerResponse,
  status: number,
  headers: OutgoingHttpHeaders,
): void {
  if ('stream' in response) response.writeHead(status, headers);
  else response.writeHead(status, headers);
}
