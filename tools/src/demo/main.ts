// The demo (`npm start`): starts three members, shows which one leads, and crashes the leader.
import { type LeadershipSource, type Logger, openLeadership } from '@leadership/core';
import { observedLeaseMs } from '@leadership/core/internal';
import type { View } from './demo-event.ts';
import type { DemoGroup } from './group.ts';
import { groupOpeners } from './groups.ts';
import { jsonView } from './json-view.ts';
import { LiveView } from './live-view.ts';
import { observerName } from './member-names.ts';
import { memberUrl } from './members.ts';
import { plainView } from './plain-view.ts';
import { runDemo, thresholdMs } from './run-demo.ts';
import { type Settings, settingsFrom, usage } from './settings.ts';
import { runWebDemo, webThresholdMs } from './web/web-demo.ts';

/** Exit codes after a signal. By convention of shells: 128 plus the signal's number. */
const interruptions = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

/** The views show what the members say. */
const silent: Logger = { error: () => undefined, warn: () => undefined, info: () => undefined };

process.exitCode = await main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<number> {
  const settings = settingsFrom(args);
  if (settings === 'help') {
    console.log(usage);
    return 0;
  }
  if (typeof settings !== 'string') return run(settings);
  console.error(`${settings}\n${usage}`);
  return 2;
}

async function run(settings: Settings): Promise<number> {
  const interrupted = new AbortController();
  let code: number | undefined;
  const interrupt = (why: number): void => {
    code ??= why;
    interrupted.abort();
  };
  for (const [signal, why] of Object.entries(interruptions))
    process.on(signal, () => interrupt(why));
  // The reader of stdout has closed it, as in `npm start | head`: end without an error.
  process.stdout.on('error', () => interrupt(0));
  try {
    return await show(settings, interrupted.signal);
  } catch (error) {
    if (code === undefined)
      console.error(`the demo failed: ${error instanceof Error ? error.message : String(error)}`);
    return code ?? 1;
  }
}

async function show(
  { backend, trials, json, web }: Settings,
  signal: AbortSignal,
): Promise<number> {
  const open = groupOpeners[backend];
  if (open === undefined) throw new Error(`unknown backend: ${backend}`);
  await using group = await open(signal);
  await using source = await observe(group, web === undefined ? thresholdMs : webThresholdMs);
  // Not without await: the group would be closed at once.
  if (web !== undefined) return await runWebDemo({ group, source, port: web, signal });
  using view = viewFor(json, () => observedLeaseMs(source, 0));
  const { guarantees } = source;
  const summary = await runDemo({
    group,
    guarantees,
    trials,
    signal,
    show: (demoEvent) => view.show(demoEvent),
  });
  view.finish(summary);
  return summary.broken.length === 0 ? 0 : 1;
}

/** Opens the demo's own source, which only observes, as a dashboard does. */
function observe(group: DemoGroup, thresholdMs: number): Promise<LeadershipSource> {
  const { observing = '' } = group;
  const url = `${memberUrl(group, thresholdMs, observerName)}${observing}`;
  return openLeadership(url, { campaign: false, log: silent });
}

function viewFor(json: boolean, leaseMs: () => number | undefined): View {
  const { stdout } = process;
  const startedNs = process.hrtime.bigint();
  if (json) return jsonView(stdout);
  return stdout.isTTY && process.env['TERM'] !== 'dumb'
    ? new LiveView(stdout, startedNs, leaseMs)
    : plainView(stdout, startedNs);
}
