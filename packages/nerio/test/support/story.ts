// Runs a story: lines in the first column are external events, indented lines are their results, in
// order of time. Messages take 10 ms, unless the story sets another delay. Everything is
// deterministic.
//
//   members a b c the members, with leases of 1000 ms; `d waits` is not in an epoch yet diskless a
//   it has no directory, and makes no permanent commitments until 2500 lets time pass need 2 comes
//   first: the size of a quorum, whether or not any two quorums share a voter split a b from c d e
//   no messages between the two sides cut a>b, heal, slow a>b 300 the fate of messages from now on
//   kill a, start a, start a remembering the end of an incarnation, and the next one fast a 1.05,
//   slowly a 0.95 a clock's rate resign a, drained a, edict a inputs of the host reconfigure a to a
//   b d the members change
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
import { epochOf, momentAt, selfNamed, settled } from './people.ts';

interface Person {
  readonly name: string;
  state: MemberState;
  alive: boolean;
  life: number;
  rate: number;
  base: number;
  setAt: number;
  wakeAt: number;
  vow: HardState;
  memory: Memory | undefined;
}

interface Letter {
  readonly at: number;
  readonly order: number;
  readonly to: string;
  readonly life: number;
  readonly input: NerioInput;
}

interface Stage {
  readonly people: Map<string, Person>;
  letters: Letter[];
  readonly cuts: Set<string>;
  readonly delays: Map<string, number>;
  now: number;
  sent: number;
  lines: string[];
  quorums: QuorumSpec;
}

/** Runs the story and returns it with all results. */
export function tell(text: string): string {
  const stage: Stage = {
    people: new Map(),
    letters: [],
    cuts: new Set(),
    delays: new Map(),
    now: 0,
    sent: 0,
    lines: [],
    quorums: { kind: 'majority' },
  };
  for (const line of text.split('\n').filter((one) => !one.startsWith('  '))) {
    stage.lines.push(line);
    if (line !== '' && !line.startsWith('#')) direct(stage, line.split(' '));
  }
  return stage.lines.join('\n');
}

function direct(stage: Stage, [verb = '', who = '', ...rest]: readonly string[]): void {
  switch (verb) {
    case 'members':
      return [who, ...rest].forEach((name) => join(stage, name, [who, ...rest]));
    case 'need':
      stage.quorums = { kind: 'weights', weights: {}, need: Number(who) };
      return;
    case 'split':
      return split(stage, [who, ...rest]);
    case 'until':
      return pass(stage, Number(who));
    case 'cut':
      return void stage.cuts.add(who);
    case 'heal':
      stage.cuts.clear();
      return stage.delays.clear();
    case 'slow':
      return void stage.delays.set(who, Number(rest[0]));
    case 'reconfigure': {
      const next = {
        members: rest.slice(1).map((member) => ({ member })),
        quorums: { kind: 'majority' },
      } as const;
      return take(stage, personNamed(stage, who), { kind: 'reconfigure', next });
    }
    default:
      return live(stage, verb, who, rest);
  }
}

function split({ cuts }: Stage, words: readonly string[]): void {
  const [left, right] = [
    words.slice(0, words.indexOf('from')),
    words.slice(words.indexOf('from') + 1),
  ];
  cuts.clear();
  for (const a of left) for (const b of right) cuts.add(`${a}>${b}`).add(`${b}>${a}`);
}

function live(stage: Stage, verb: string, who: string, rest: readonly string[]): void {
  if (rest[0] === 'waits' || verb === 'newcomer') return join(stage, who, [...stage.people.keys()]);
  const person = personNamed(stage, who);
  switch (verb) {
    case 'kill':
      person.memory = memoryOf(person.state, localAt(stage, person));
      person.alive = false;
      person.life += 1;
      return;
    case 'start':
      return start(stage, person, rest[0] === 'remembering');
    case 'clock':
      Object.assign(person, {
        base: localAt(stage, person),
        setAt: stage.now,
        rate: Number(rest[0]),
      });
      return;
    case 'diskless':
      person.state = { ...person.state, vows: 'none' };
      return;
    case 'resign':
      return take(stage, person, { kind: 'resign', partition: 0, atLeastMs: 0 });
    case 'drained':
      return take(stage, person, { kind: 'drained', partition: 0 });
    case 'edict':
      return take(stage, person, { kind: 'edict', partition: 0, id: 1 });
    case 'verify':
      return take(stage, person, { kind: 'verify', partition: 0, member: rest[0] ?? '', id: 1 });
    default:
      throw new Error(`nobody can ${verb}`);
  }
}

function personNamed({ people }: Stage, name: string): Person {
  const person = people.get(name);
  if (person === undefined) throw new Error(`no member is called ${name}`);
  return person;
}

function localAt({ now }: Stage, { base, setAt, rate }: Person): number {
  return base + (now - setAt) * rate;
}

function join(stage: Stage, name: string, names: readonly string[]): void {
  const epoch = epochOf(names, stage.quorums);
  const state = settled(selfNamed(name), epoch);
  const vow = { epoch, wedge: undefined };
  stage.people.set(name, {
    name,
    state,
    alive: true,
    life: 0,
    rate: 1,
    base: 0,
    setAt: 0,
    wakeAt: 0,
    vow,
    memory: undefined,
  });
}

function start(stage: Stage, person: Person, remembers: boolean): void {
  const birth = { vow: person.vow, memory: remembers ? person.memory : undefined };
  person.state = newMember(
    driftRules,
    selfNamed(person.name, { life: person.life }),
    birth,
    momentAt(localAt(stage, person)),
  );
  person.alive = true;
  person.wakeAt = localAt(stage, person);
}

function pass(stage: Stage, until: number): void {
  for (;;) {
    const letter = stage.letters.reduce<Letter | undefined>(
      (first, one) => (first === undefined || comesBefore(one, first) ? one : first),
      undefined,
    );
    const sleeper = nextToWake(stage);
    const wakesAt = sleeper === undefined ? Number.POSITIVE_INFINITY : realAt(sleeper);
    const at = Math.min(letter?.at ?? Number.POSITIVE_INFINITY, wakesAt);
    if (at > until) break;
    stage.now = Math.max(stage.now, at);
    if (letter !== undefined && letter.at <= wakesAt) deliver(stage, letter);
    else if (sleeper) take(stage, sleeper, { kind: 'wake' });
  }
  stage.now = until;
}

function comesBefore(a: Letter, b: Letter): boolean {
  return a.at < b.at || (a.at === b.at && a.order < b.order);
}

function nextToWake({ people }: Stage): Person | undefined {
  const awake = [...people.values()].filter(
    ({ alive, wakeAt }) => alive && Number.isFinite(wakeAt),
  );
  return awake.reduce<Person | undefined>(
    (first, one) => (first === undefined || realAt(one) < realAt(first) ? one : first),
    undefined,
  );
}

/** A hundredth of a millisecond late, because timers are. */
function realAt({ wakeAt, base, setAt, rate }: Person): number {
  return setAt + (wakeAt - base) / rate + 0.01;
}

function deliver(stage: Stage, letter: Letter): void {
  stage.letters = stage.letters.filter((one) => one !== letter);
  const person = personNamed(stage, letter.to);
  if (person.alive && person.life === letter.life) take(stage, person, letter.input);
}

function take(stage: Stage, person: Person, input: NerioInput): void {
  const before = person.state;
  const { state, outputs, wakeAt } = step(
    driftRules,
    before,
    input,
    momentAt(localAt(stage, person)),
  );
  Object.assign(person, { state, wakeAt });
  const cause =
    input.kind === 'heard'
      ? `hears ${wordsFor(input.item)} from ${input.from.incarnation}`
      : undefined;
  const said = outputs.flatMap((output) => carryOut(stage, person, output));
  const isNews = cause !== undefined && !isRoutine(input.kind === 'heard' ? input.item : undefined);
  if (said.length === 0 && !isNews) return;
  const when = `${stage.now.toFixed(1).padStart(8)} ${state.self.incarnation}`;
  if (isNews) stage.lines.push(`  ${when} ${cause}`);
  for (const line of said) stage.lines.push(`  ${when}   ${line}`);
}

/** Signs of life are omitted: there are too many. */
function isRoutine(item: Item | undefined): boolean {
  return item?.kind === 'ping' || item?.kind === 'pong';
}

function carryOut(stage: Stage, person: Person, output: NerioOutput): string[] {
  switch (output.kind) {
    case 'send': {
      const { electorate, to, item } = output;
      const names = electorate.names.filter((_, index) => (to & (1 << index)) !== 0);
      names.forEach((name) => post(stage, person, name, electorate.number, item));
      return isRoutine(item) ? [] : [`to ${names.join(' ')}: ${wordsFor(item)}`];
    }
    case 'tell':
      for (const name of output.to) post(stage, person, name, output.epoch, output.item);
      return isRoutine(output.item)
        ? []
        : [`tells ${output.to.join(' ')}: ${wordsFor(output.item)}`];
    case 'persist':
      person.vow = output.vow;
      return [output.vow.wedge ? 'on disk: wedged' : `on disk: epoch ${output.vow.epoch.number}`];
    default:
      return [newsLine(output)];
  }
}

function post(stage: Stage, from: Person, to: string, epoch: number, item: Item): void {
  const link = `${from.name}>${to}`;
  const { member, incarnation } = from.state.self;
  if (stage.cuts.has(link) || !stage.people.get(to)?.alive) return;
  const at = stage.now + (stage.delays.get(link) ?? 10);
  stage.sent += 1;
  stage.letters.push({
    at,
    order: stage.sent,
    to,
    life: personNamed(stage, to).life,
    input: { kind: 'heard', from: { member, incarnation }, epoch, item },
  });
}

type News = Exclude<NerioOutput, { readonly kind: 'send' | 'tell' | 'persist' }>;

function newsLine(output: News): string {
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
    case 'ask':
      return `ask at ${item.start.at.toFixed(1)} for ${Math.round(item.leaseMs)} ms, term ${item.token}, ${item.standing}`;
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
