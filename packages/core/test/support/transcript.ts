// Runs a transcript. Lines that begin in the first column are inputs; indented lines are their
// outputs.
//
// | line | meaning |
// | --- | --- |
// | `a starts [as NAME] [T 1200] [cap 1200] [log]` | a member of incarnation `a`, its clock at 0 |
// | `x is hold by c after a.1 height 1 token 5` | a record of another member |
// | `10 a end` | at 10 by its own clock, `a` reads the end of the register |
//
// Records and lease requests are named incarnation.sequence: `a.1` is the first that a sent.
import type { LeaseRequest } from '../../src/ledger/ledger.ts';
import { ledgerRules } from '../../src/ledger/protocol/rules.ts';
import type {
  LedgerInput,
  LedgerOutput,
  MemberConfig,
  PartitionState,
} from '../../src/ledger/protocol/state.ts';
import { newPartition, step } from '../../src/ledger/protocol/step.ts';
import type { LedgerRecord } from '../../src/ledger/record.ts';
import type { Instant } from '../../src/time/instant.ts';

interface World {
  readonly members: Map<string, PartitionState>;
  readonly records: Map<string, LedgerRecord>;
  readonly requests: Map<string, LeaseRequest>;
}

/** Returns the whole transcript with the actual outputs. */
export function walk(text: string): string {
  const context: World = { members: new Map(), records: new Map(), requests: new Map() };
  const lines = text.split('\n').filter((line) => !line.startsWith('  '));
  return lines.flatMap((line) => [line, ...happen(context, line)]).join('\n');
}

function happen(context: World, line: string): string[] {
  const [first = '', second = '', ...rest] = line.split(' ');
  if (line === '' || first === '#') return [];
  if (second === 'starts') return start(context, first, rest);
  if (second === 'is') return define(context, first, rest);
  const at = Number(first) as Instant;
  const state = context.members.get(second);
  if (state === undefined) throw new Error(`unknown member ${second}: ${line}`);
  const moment = { now: at, wallMicros: Number(option(rest, 'wall') ?? 0) };
  const {
    state: next,
    outputs,
    wakeAt,
  } = step(ledgerRules, state, inputOf(context, rest, at), moment);
  context.members.set(second, next);
  const wake = `wake ${Number.isFinite(wakeAt) ? `at ${Math.round(wakeAt * 10) / 10}` : 'never'}`;
  return [...outputs.map((output) => outputLine(context, output)), wake].map(
    (words) => `    ${words}`,
  );
}

function start(context: World, incarnation: string, words: readonly string[]): string[] {
  const thresholdMs = Number(option(words, 'T') ?? 1200);
  const self: MemberConfig = {
    group: 'g',
    member: option(words, 'as') ?? incarnation,
    incarnation,
    partitions: 1,
    thresholdMs,
    thresholdMsMax: Number(option(words, 'cap') ?? thresholdMs),
    driftRate: 0.01,
    shape: words.includes('log') ? 'log' : 'register',
    hasLeaseRequests: true,
    jitter: 0,
  };
  context.members.set(incarnation, newPartition(self, 0, 0 as Instant));
  return [];
}

function define(context: World, name: string, words: readonly string[]): string[] {
  const by = option(words, 'by') ?? 'stranger';
  const after = option(words, 'after');
  const thresholdMs = Number(option(words, 'T') ?? 1200);
  if (words[0] === 'lease-request') {
    context.requests.set(name, {
      partition: 0,
      id: name,
      incarnation: by,
      member: by,
      thresholdMs,
    });
    return [];
  }
  const record: LedgerRecord = {
    group: 'g',
    partition: 0,
    id: name,
    after:
      after === undefined || after === 'nothing' ? null : (context.records.get(after)?.id ?? after),
    height: Number(option(words, 'height') ?? 0),
    member: by,
    incarnation: by,
    kind: words[0] ?? 'hold',
    token: BigInt(option(words, 'token') ?? 1),
    thresholdMs,
  };
  context.records.set(name, record);
  return [];
}

function inputOf(
  { records, requests }: World,
  [kind = '', ...words]: readonly string[],
  now: Instant,
): LedgerInput {
  const [what = ''] = words;
  const receivedAt = now;
  const record = records.get(what);
  const request = requests.get(what);
  if (kind === 'record' && record) return { kind, record, receivedAt };
  if (kind === 'written' && record) return { kind, record, outcome: words[1] as 'placed' };
  if (kind === 'requested' && request) return { kind, request, receivedAt };
  if (kind === 'ranks') return { kind, ranks: words };
  if (kind === 'pin') return { kind, pin: what as 'agrees' };
  if (kind === 'campaign') return { kind, on: what === 'on' };
  if (kind === 'resign') return { kind, atLeastMs: Number(what || 0) };
  if (kind === 'fenced') return { kind, lapse: what === 'lapse' };
  if (kind === 'end' || kind === 'restarted' || kind === 'wake' || kind === 'drained')
    return { kind };
  throw new Error(`there is no ${what} to ${kind}`);
}

function outputLine(context: World, output: LedgerOutput): string {
  switch (output.kind) {
    case 'write':
      return writeLine(context, output.record);
    case 'request-lease':
      context.requests.set(short(output.request.id), output.request);
      return `request-lease ${short(output.request.id)}`;
    case 'granted':
      return `granted ${output.token} until ${output.until}`;
    case 'lost':
      return `lost: ${output.reason}`;
    case 'leader':
      return `leader ${output.record === undefined ? 'nobody' : `${output.record.to?.incarnation ?? output.record.incarnation}, token ${output.record.token}`}`;
    case 'broken':
      return `broken ${output.rule}`;
    default:
      return output.kind;
  }
}

function writeLine(context: World, record: LedgerRecord): string {
  const { id, kind, after, height, token, to, thresholdMs } = record;
  context.records.set(short(id), record);
  const delegate = to ? ` to ${to.incarnation} for ${short(to.requestId)}` : '';
  return `write ${short(id)}: ${kind}${delegate} after ${after === null ? 'nothing' : short(after)}, height ${height}, token ${token}, T ${thresholdMs}`;
}

/** `member/incarnation/partition.sequence` → `incarnation.sequence` */
function short(id: string): string {
  const [, incarnation, place = ''] = id.split('/');
  return incarnation === undefined ? id : `${incarnation}.${place.split('.')[1]}`;
}

function option(words: readonly string[], name: string): string | undefined {
  const at = words.indexOf(name);
  return at < 0 ? undefined : words[at + 1];
}
