// Formats the report of `leadership status` for people.
import type { Trouble } from '@leadership/core';
import { printable } from '@leadership/core/internal';
import { columns } from '../terminal-text.ts';
import type { StatusReport } from './status-report.ts';

/** The greatest number of partitions that the line of a member names. */
const namedMax = 8;

/** Formats a report for people: a line for the group, tables of leaders and members, the troubles. */
export function statusText(report: StatusReport, nowMs: number): string {
  const known = report.partitions === null ? [] : ['', ...table(report, nowMs)];
  return [headline(report), ...known, ...members(report, nowMs), ...healthLines(report)].join('\n');
}

function headline({ group, partitions, leaders, health }: StatusReport): string {
  if (partitions === null) return `group ${printable(group)}: no member has ever opened it`;
  const led = leaders.filter(({ leader }) => leader !== null).length;
  // A partition may have no leader for a while before that is a trouble.
  const waiting = led === leaders.length ? 'healthy' : 'no trouble yet';
  const state = health.ok ? waiting : 'troubles below';
  const subject = leaders.length === 1 ? 'partition has a leader' : 'partitions have a leader';
  return `group ${printable(group)}: ${led} of ${leaders.length} ${subject} · ${state}`;
}

function table({ leaders }: StatusReport, nowMs: number): readonly string[] {
  const hasRoles = leaders.some(({ roles }) => roles.length > 0);
  const rows = leaders.map(({ partition, roles, leader }) => [
    String(partition),
    ...(hasRoles ? [roles.join(', ')] : []),
    leader?.member ?? 'no leader',
    leader?.token ?? '-',
    leader?.since === undefined ? '-' : sinceText(leader.since, nowMs),
  ]);
  return columns([
    ['PARTITION', ...(hasRoles ? ['ROLE'] : []), 'LEADER', 'TOKEN', 'SINCE'],
    ...rows,
  ]);
}

function members({ members: all }: StatusReport, nowMs: number): readonly string[] {
  if (all.length === 0) return [];
  const rows = all.map(({ member, since, leads, isCandidate, trouble }) => [
    member,
    leads.length > namedMax ? `${leads.length} partitions` : leads.join(', ') || '-',
    trouble ?? (isCandidate ? 'ok' : 'observes'),
    since === undefined ? '-' : sinceText(since.toISOString(), nowMs),
  ]);
  return ['', ...columns([['MEMBER', 'LEADS', 'HEALTH', 'SINCE'], ...rows])];
}

function sinceText(since: string, nowMs: number): string {
  const age = ageText(nowMs - Date.parse(since));
  return `${since.slice(0, 19).replace('T', ' ')} UTC (${age})`;
}

/** The units of an age, the greatest first: milliseconds, and the letter. */
const units = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'min'],
] as const;

/** Formats a duration in its greatest unit: `3 min`. */
export function ageText(ms: number): string {
  const [unitMs, name] = units.find(([unit]) => ms >= unit) ?? [1000, 's'];
  return `${Math.max(0, Math.floor(ms / unitMs))} ${name}`;
}

function healthLines({ health: { troubles, warnings } }: StatusReport): readonly string[] {
  const lines = [
    ...troubles.map((trouble) => problem('trouble', trouble)),
    ...warnings.map((warning) => problem('warning', warning)),
  ];
  return lines.length === 0 ? [] : ['', ...lines];
}

function problem(kind: string, { code, message, partition }: Trouble): string {
  const where = partition === undefined ? '' : ` in partition ${partition}`;
  return `${kind} (${code})${where}: ${printable(message)}`;
}
