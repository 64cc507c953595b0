// A background task of node-cron whose process dies during the run.
export function task() {
  process.exit(1);
}
