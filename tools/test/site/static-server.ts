import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.svg': 'image/svg+xml',
};

/** A server of files, for tests. */
export interface StaticServer extends AsyncDisposable {
  readonly address: string;
}

/** Serves the files of a folder on a free port of 127.0.0.1. */
export async function serveFolder(folder: string): Promise<StaticServer> {
  const server = createServer(async ({ url = '/' }, response) => {
    const path = decodeURI(new URL(url, 'http://site').pathname).replace(/\/$/, '/index.html');
    // Like hosts of static sites, which also serve a page without its ending.
    const file = join(folder, extname(path) === '' ? `${path}.html` : path);
    const content = await readFile(file).catch(() => undefined);
    const type = types[extname(file)] ?? 'application/octet-stream';
    // The names of these contain hashes of their contents: a page reads them once.
    const cached = path.startsWith('/assets/') && { 'cache-control': 'max-age=3600, immutable' };
    response.writeHead(content ? 200 : 404, { 'content-type': type, ...cached }).end(content);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
