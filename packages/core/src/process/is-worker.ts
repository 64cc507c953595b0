import { isMainThread } from 'node:worker_threads';

/** Whether this runs in a worker thread. */
export const isWorker: boolean = !isMainThread;
