// Runs a transcript: lines in the first column are inputs, and indented lines are their results, in
// order of time. Messages take 10 ms, unless the transcript sets another delay. Everything is
// deterministic.
//
// | line | meaning |
// | --- | --- |
// | `members a b c` | the members, with leases of 1000 ms; `d waits` is in no epoch yet |
// | `diskless a` | it has no directory, and makes no permanent commitments |
// | `until 2500` | lets time pass |
// | `need 2` | comes first: the size of a quorum, whether or not any two quorums share a voter |
// | `split a b from c d e` | no messages between the two sides |
// | `cut a>b`, `heal`, `slow a>b 300` | the fate of messages from now on |
// | `kill a`, `start a`, `start a remembering` | ends an incarnation, starts the next one |
// | `fast a 1.05`, `slowly a 0.95` | a clock's rate |
// | `resign a`, `drained a`, `edict a` | inputs of the host |
// | `reconfigure a to a b d` | the members change |
import {
  driftRules,
  type HardState,
  type Item,
  type MemberState,
  type Memory,
  memoryOf,
  type NerioInput,
  type NerioOutput,
  newMember,
  type QuorumSpec,
  step,
} from '../../src/protocol.ts';
import { epochOf, momentAt, selfNamed, settled } from './test-members.ts';

interface Member {
  readonly name: string;
  state: MemberState;
  alive: boolean;
  life: number;
  rate: number;
  base: number;
  setAt: number;
  wakeAt: number;
  hardState: HardState;
  memory: Memory | undefined;
}

interface Message {
  readonly at: number;
  readonly order: number;
  readonly to: string;
  readonly life: number;
  readonly input: NerioInput;
}

interface Context {
  readonly members: Map<string, Member>;
  messages: Message[];
  readonly cuts: Set<string>;
  readonly delays: Map<string, number>;
  now: number;
  sent: number;
  lines: string[];
  quorums: QuorumSpec;
}

/** Runs the transcript and returns it with all results. */
export function runTranscript(text: string): string {
  const context: Context = {
    members: new Map(),
    messages: [],
    cuts: new Set(),
    delays: new Map(),
    now: 0,
    sent: 0,
    lines: [],
    quorums: { kind: 'majority' },
  };
  for (const line of text.split('\n').filter((one) => !one.startsWith('  '))) {
    context.lines.push(line);
    if (line !== '' && !line.startsWith('#')) direct(context, line.split(' '));
  }
  return context.lines.join('\n');
}

function direct(context: Context, [verb = '', who = '', ...rest]: readonly string[]): void {
  switch (verb) {
    case 'members':
      return [who, ...rest].forEach((name) => join(context, name, [who, ...rest]));
    case 'need':
      context.quorums = { kind: 'weights', weights: {}, need: Number(who) };
      return;
    case 'split':
      return split(context, [who, ...rest]);
    case 'until':
      return pass(context, Number(who));
    case 'cut':
      return void context.cuts.add(who);
    case 'heal':
      context.cuts.clear();
      return context.delays.clear();
    case 'slow':
      return void context.delays.set(who, Number(rest[0]));
    case 'reconfigure': {
      const next = {
        members: rest.slice(1).map((member) => ({ member })),
        quorums: { kind: 'majority' },
      } as const;
      return take(context, memberNamed(context, who), { kind: 'reconfigure', next });
    }
    default:
      return live(context, verb, who, rest);
  }
}

function split({ cuts }: Context, words: readonly string[]): void {
  const [left, right] = [
    words.slice(0, words.indexOf('from')),
    words.slice(words.indexOf('from') + 1),
  ];
  cuts.clear();
  for (const a of left) for (const b of right) cuts.add(`${a}>${b}`).add(`${b}>${a}`);
}

function live(context: Context, verb: string, who: string, rest: readonly string[]): void {
  if (rest[0] === 'waits' || verb === 'newcomer')
    return join(context, who, [...context.members.keys()]);
  const member = memberNamed(context, who);
  switch (verb) {
    case 'kill':
      member.memory = memoryOf(member.state, localAt(context, member));
      member.alive = false;
      member.life += 1;
      return;
    case 'start':
      return start(context, member, rest[0] === 'remembering');
    case 'clock':
      Object.assign(member, {
        base: localAt(context, member),
        setAt: context.now,
        rate: Number(rest[0]),
      });
      return;
    case 'diskless':
      member.state = { ...member.state, hardStateStatus: 'none' };
      return;
    case 'resign':
      return take(context, member, { kind: 'resign', partition: 0, atLeastMs: 0 });
    case 'drained':
      return take(context, member, { kind: 'drained', partition: 0 });
    case 'edict':
      return take(context, member, { kind: 'edict', partition: 0, id: 1 });
    case 'verify':
      return take(context, member, { kind: 'verify', partition: 0, member: rest[0] ?? '', id: 1 });
    default:
      throw new Error(`nobody can ${verb}`);
  }
}

function memberNamed({ members }: Context, name: string): Member {
  const member = members.get(name);
  if (member === undefined) throw new Error(`no member is called ${name}`);
  return member;
}

function localAt({ now }: Context, { base, setAt, rate }: Member): number {
  return base + (now - setAt) * rate;
}

function join(context: Context, name: string, names: readonly string[]): void {
  const epoch = epochOf(names, context.quorums);
  const state = settled(selfNamed(name), epoch);
  const hardState = { epoch, wedge: undefined };
  context.members.set(name, {
    name,
    state,
    alive: true,
    life: 0,
    rate: 1,
    base: 0,
    setAt: 0,
    wakeAt: 0,
    hardState,
    memory: undefined,
  });
}

function start(context: Context, member: Member, remembers: boolean): void {
  const birth = { hardState: member.hardState, memory: remembers ? member.memory : undefined };
  member.state = newMember(
    driftRules,
    selfNamed(member.name, { life: member.life }),
    birth,
    momentAt(localAt(context, member)),
  );
  member.alive = true;
  member.wakeAt = localAt(context, member);
}

function pass(context: Context, until: number): void {
  for (;;) {
    const message = context.messages.reduce<Message | undefined>(
      (first, one) => (first === undefined || comesBefore(one, first) ? one : first),
      undefined,
    );
    const sleeper = nextToWake(context);
    const wakesAt = sleeper === undefined ? Number.POSITIVE_INFINITY : realAt(sleeper);
    const at = Math.min(message?.at ?? Number.POSITIVE_INFINITY, wakesAt);
    if (at > until) break;
    context.now = Math.max(context.now, at);
    if (message !== undefined && message.at <= wakesAt) deliver(context, message);
    else if (sleeper) take(context, sleeper, { kind: 'wake' });
  }
  context.now = until;
}

function comesBefore(a: Message, b: Message): boolean {
  return a.at < b.at || (a.at === b.at && a.order < b.order);
}

function nextToWake({ members }: Context): Member | undefined {
  const awake = [...members.values()].filter(
    ({ alive, wakeAt }) => alive && Number.isFinite(wakeAt),
  );
  return awake.reduce<Member | undefined>(
    (first, one) => (first === undefined || realAt(one) < realAt(first) ? one : first),
    undefined,
  );
}

/** A hundredth of a millisecond late, because timers are. */
function realAt({ wakeAt, base, setAt, rate }: Member): number {
  return setAt + (wakeAt - base) / rate + 0.01;
}

function deliver(context: Context, message: Message): void {
  context.messages = context.messages.filter((one) => one !== message);
  const member = memberNamed(context, message.to);
  if (member.alive && member.life === message.life) take(context, member, message.input);
}

function take(context: Context, member: Member, input: NerioInput): void {
  const before = member.state;
  const { state, outputs, wakeAt } = step(
    driftRules,
    before,
    input,
    momentAt(localAt(context, member)),
  );
  Object.assign(member, { state, wakeAt });
  const cause =
    input.kind === 'received'
      ? `receives ${wordsFor(input.item)} from ${input.from.incarnation}`
      : undefined;
  const lines = outputs.flatMap((output) => perform(context, member, output));
  const isShown =
    cause !== undefined && !isRoutine(input.kind === 'received' ? input.item : undefined);
  if (lines.length === 0 && !isShown) return;
  const when = `${context.now.toFixed(1).padStart(8)} ${state.self.incarnation}`;
  if (isShown) context.lines.push(`  ${when} ${cause}`);
  for (const line of lines) context.lines.push(`  ${when}   ${line}`);
}

/** Signs of life are omitted: there are too many. */
function isRoutine(item: Item | undefined): boolean {
  return item?.kind === 'ping' || item?.kind === 'pong';
}

function perform(context: Context, member: Member, output: NerioOutput): string[] {
  switch (output.kind) {
    case 'send': {
      const { electorate, to, item } = output;
      const names = electorate.names.filter((_, index) => (to & (1 << index)) !== 0);
      names.forEach((name) => post(context, member, name, electorate.number, item));
      return isRoutine(item) ? [] : [`to ${names.join(' ')}: ${wordsFor(item)}`];
    }
    case 'send-by-name':
      for (const name of output.to) post(context, member, name, output.epoch, output.item);
      return isRoutine(output.item)
        ? []
        : [`tells ${output.to.join(' ')}: ${wordsFor(output.item)}`];
    case 'persist':
      member.hardState = output.hardState;
      return [
        output.hardState.wedge
          ? 'on disk: wedged'
          : `on disk: epoch ${output.hardState.epoch.number}`,
      ];
    default:
      return [updateLine(output)];
  }
}

function post(context: Context, from: Member, to: string, epoch: number, item: Item): void {
  const link = `${from.name}>${to}`;
  const { member, incarnation } = from.state.self;
  if (context.cuts.has(link) || !context.members.get(to)?.alive) return;
  const at = context.now + (context.delays.get(link) ?? 10);
  context.sent += 1;
  context.messages.push({
    at,
    order: context.sent,
    to,
    life: memberNamed(context, to).life,
    input: { kind: 'received', from: { member, incarnation }, epoch, item },
  });
}

type Update = Exclude<NerioOutput, { readonly kind: 'send' | 'send-by-name' | 'persist' }>;

function updateLine(output: Update): string {
  switch (output.kind) {
    case 'granted':
      return `LEADS, term ${output.token}, until ${output.until.toFixed(1)} by its clock, as asked at ${output.sentAt.toFixed(1)}`;
    case 'lost':
      return `LOST: ${output.reason}`;
    case 'leader':
      return output.leader
        ? `knows that ${output.leader.incarnation} leads, term ${output.leader.token}`
        : 'knows no leader';
    case 'weak':
      return `weak leader: ${output.index < 0 ? 'nobody' : `member ${output.index}`}`;
    case 'stamped':
      return `edict ${output.stamp.epoch}.${output.stamp.counter} stamped by ${output.stamp.quorum.map((one) => (one ? `${one.life}/${one.at.toFixed(1)}` : '-')).join(' ')}`;
    case 'verified':
      return `verified ${output.verdict.leader.incarnation}: ${output.verdict.remainderMs.toFixed(1)} ms from ${output.verdict.startedAt.toFixed(1)}`;
    case 'epoch':
      return `epoch ${output.epoch.number}: ${output.epoch.members.map(({ member }) => member).join(' ')}`;
    case 'found':
      return `found ${output.leader?.incarnation ?? 'nobody'}`;
    default:
      return output.kind;
  }
}

function wordsFor(item: Item): string {
  switch (item.kind) {
    case 'grant-request':
      return `grant-request at ${item.start.at.toFixed(1)} for ${Math.round(item.leaseMs)} ms, term ${item.token}, ${item.standing}`;
    case 'ok':
      return `ok to ${item.start.at.toFixed(1)}${item.rival > 0n ? `, but knows of term ${item.rival}` : ''}${item.isEnding ? ', the epoch ends' : ''}`;
    case 'refused':
      return `refused ${item.start.at.toFixed(1)}: ${item.why}${item.holder ? ` by ${item.holder.incarnation}` : ''}${Number.isFinite(item.forMs) ? ` for ${Math.round(item.forMs)} ms` : ''}`;
    case 'release':
      return `release up to ${item.start.at.toFixed(1)}`;
    case 'remainder':
      return `leads for ${item.remainderMs.toFixed(1)} ms`;
    case 'learned':
      return `learned: terms up to ${item.tokens.join(' ')}${item.remembers ? '' : ', and remembers nothing'}`;
    case 'wedge':
    case 'accept':
      return `${item.kind} in ballot ${item.ballot.round}${item.ballot.member}, then ${item.next.members.map(({ member }) => member).join(' ')}`;
    case 'probe':
    case 'bindable':
    case 'wedged':
    case 'accepted':
      return `${item.kind} in ballot ${item.ballot.round}${item.ballot.member}`;
    case 'running':
      return `epoch ${item.epoch.number} runs`;
    default:
      return item.kind;
  }
}
