import type { StoreProxy } from '@leadership/testkit/faults';
import type { Api } from '../../src/api.ts';

/** Returns an API whose requests meet the faults of the proxy. */
export function hindered(api: Api, way: StoreProxy): Api {
  return {
    namespace: (signal) => api.namespace(signal),
    send(request, signal) {
      // A request that is held back reaches the server after its member gave it up.
      const send = (): ReturnType<Api['send']> =>
        api.send(request, signal.aborted ? new AbortController().signal : signal);
      const isReading = request.method === 'GET' || request.path.includes('accessreviews');
      return isReading ? way.read(request.path, send) : way.write(send);
    },
    watch: (path, signal) => way.stream((until) => api.watch(path, until), signal),
    close: () => api.close(),
  };
}
