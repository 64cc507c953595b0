import { isMainThread } from 'node:worker_threads';

/** Whether this code runs in a worker thread. */
export const isWorker: boolean = !isMainThread;
