// The timeline: one lane for each partition, terms from left to right, and between them the time in which
// no member led. Each of them can be reached by the pointer and by the arrow keys, and then says what happened.
import { duration, placeChildren, say, svg, time } from './dom.js';

/** About the width of a letter in the timeline, the height of a lane, and the gap below it. Pixels. */
const [letterWidth, lane, laneGap] = [7, 24, 8];
/** Of a larger group, only the partitions have a lane that changed their leader last. */
const lanesMax = 16;
/** Dark enough for white letters. No red and no yellow, which would look like a trouble. */
const palette = [
  '#2f6fde',
  '#0b7a5b',
  '#7a4fd0',
  '#0f7390',
  '#9c3fa6',
  '#4a6b1f',
  '#5560c9',
  '#8a5a2b',
];
const colours = new Map();
/** A member keeps the colour of its first appearance. */
export function colourOf(name) {
  if (!colours.has(name)) colours.set(name, palette[colours.size % palette.length]);
  return colours.get(name);
}

/** How a term ended: in a word or two, as a reason, and the change that it began. */
const ends = {
  'handed-over': ['handed over', 'its leader released it, after its work had ended', 'hand-over'],
  lapsed: [
    'lapsed',
    'its lease ran out: it was not renewed in time, or its work did not end in time',
    'fail-over',
  ],
  'proved-dead': ['proved dead', 'a guard proved that its process was dead', 'fail-over'],
  superseded: ['superseded', 'another term began, and the end of this one was not seen', 'change'],
  unknown: ['unknown', 'no leader is known any more, and the end was not seen', 'change'],
};

/** Returns how a term ended, in a word or two. */
export const endOf = ({ ended, untilMs }) => (untilMs === undefined ? 'leads' : ends[ended][0]);

/** Returns the same with the reason. */
export function reasonOf({ ended, untilMs, detail }) {
  if (untilMs === undefined) return 'It leads.';
  const [words, reason] = ends[ended];
  const more = detail === undefined ? '' : ` (${detail})`;
  return `${words[0].toUpperCase()}${words.slice(1)}: ${reason}${more}.`;
}

/**
 * Returns for each term of a list, in the order of their beginnings, the term before it in its
 * partition, and how long no member led between them.
 */
export function beginningsOf(terms) {
  const last = new Map();
  const beginnings = new Map();
  for (const term of terms) {
    const before = last.get(term.partition);
    last.set(term.partition, term);
    const fromMs = before?.untilMs ?? term.fromMs;
    beginnings.set(term, { before, fromMs, gapMs: Math.max(0, term.fromMs - fromMs) });
  }
  return beginnings;
}

/** Returns how a term began. */
export function wordsOf({ isEarlier }, { before, gapMs }) {
  if (isEarlier) return 'led before the watch';
  if (before === undefined) return 'first seen';
  const kind = ends[before.ended]?.[2] ?? 'change';
  const start = kind === 'change' ? 'after' : `${kind} from`;
  return `${start} ${before.member}, ${duration(gapMs)} without a leader`;
}

/** Returns the terms and the times without a leader, lane by lane, from left to right. */
function marksOf(partitions, terms, atMs) {
  const beginnings = beginningsOf(terms);
  return partitions.flatMap((partition) => {
    const own = terms.filter((term) => term.partition === partition);
    const marks = own.flatMap((term) => {
      const { before, fromMs, gapMs } = beginnings.get(term);
      const bar = {
        kind: 'term',
        partition,
        term,
        fromMs: term.fromMs,
        untilMs: term.untilMs ?? atMs,
      };
      const gap = { kind: 'gap', partition, before, term, fromMs, untilMs: term.fromMs };
      return gapMs > 0 ? [gap, bar] : [bar];
    });
    const before = own.at(-1);
    const isVacant = before?.untilMs !== undefined;
    const gap = { kind: 'gap', partition, before, fromMs: before?.untilMs, untilMs: atMs };
    return isVacant ? [...marks, gap] : marks;
  });
}

/** Returns in one or two sentences what a mark shows. */
function sentenceOf({ kind, partition, before, term, fromMs, untilMs }) {
  const lasted = duration(untilMs - fromMs);
  if (kind === 'gap') {
    const start = term === undefined ? `Nobody has led` : 'Nobody led';
    const end = term === undefined ? '' : `, until ${term.member}`;
    const last = `The term of ${before.member} before: ${endOf(before)}.`;
    return `${start} partition ${partition} for ${lasted}, from ${time(fromMs)}${end}. ${last}`;
  }
  const since = `${term.isEarlier ? 'before ' : ''}${time(fromMs)}`;
  const leads = term.untilMs === undefined ? 'leads' : 'led';
  const how = term.untilMs === undefined ? '' : ` ${reasonOf(term)}`;
  const least = term.isEarlier ? 'at least ' : '';
  return `${term.member} ${leads} partition ${partition} in term ${term.token} for ${least}${lasted}, from ${since}.${how}`;
}

/** Returns the partitions that have a lane. */
function lanesOf(partitions, terms) {
  if (partitions <= lanesMax) return Array.from({ length: partitions }, (_, index) => index);
  const changed = terms.filter(({ untilMs }) => untilMs !== undefined).toReversed();
  const latest = [...new Set(changed.map(({ partition }) => partition))].slice(0, lanesMax);
  return latest.sort((a, b) => a - b);
}

/** A timeline in `box`, whose marks are described in `detail`. It keeps its marks, and so the focus. */
export class Timeline {
  #box;
  #detail;
  #marks = new Map();
  #texts = new Map();
  #shown;
  #pointed = null;
  #picture = svg('svg', { role: 'group', 'aria-label': 'Timeline of terms; arrow keys move' });
  #ground = svg('g', { 'aria-hidden': 'true' });
  #layer = svg('g', {});

  constructor(box, detail) {
    this.#box = box;
    this.#detail = detail;
    this.#picture.append(this.#ground, this.#layer);
    box.append(this.#picture);
    this.#picture.addEventListener('keydown', (event) => this.#key(event));
    this.#picture.addEventListener('focusin', ({ target }) => this.#describe(target));
    this.#picture.addEventListener('pointerover', ({ target }) => this.#point(target));
    say(detail, hint);
  }

  show({ atMs, partitions = 0, terms, watchedSinceMs }) {
    const lanes = lanesOf(partitions, terms);
    const width = this.#box.clientWidth;
    const left = partitions > 1 ? 10 + letterWidth * String(lanes.at(-1)).length : 0;
    const [oldest] = terms.filter(({ isEarlier }) => !isEarlier);
    const sinceMs = Math.max(watchedSinceMs, (oldest?.fromMs ?? 0) - 10_000);
    const fromMs = Math.min(atMs - 10_000, sinceMs);
    const x = (ms) => left + (Math.max(0, ms - fromMs) / (atMs - fromMs)) * (width - left);
    this.#picture.setAttribute('viewBox', `0 0 ${width} ${lanes.length * (lane + laneGap) + 16}`);
    this.#drawGround(lanes, { left, width, fromMs, partitions });
    const marks = marksOf(lanes, terms, atMs);
    const nodes = marks.map((mark) => this.#draw(mark, lanes.indexOf(mark.partition), x));
    this.#keep(nodes);
  }

  #drawGround(lanes, { left, width, fromMs, partitions }) {
    const y = lanes.length * (lane + laneGap) + 12;
    const rows = lanes.flatMap((partition, row) => {
      const top = row * (lane + laneGap);
      const box = { class: 'lane', x: left, y: top, width: width - left, height: lane, rx: 4 };
      const number = svg('text', { x: 0, y: top + 16 }, String(partition));
      return partitions > 1 ? [number, svg('rect', box)] : [svg('rect', box)];
    });
    const [first, last] = [
      svg('text', { x: left, y }, time(fromMs)),
      svg('text', { x: width, y, 'text-anchor': 'end' }, 'now'),
    ];
    this.#ground.replaceChildren(...rows, first, last);
  }

  #draw(mark, row, x) {
    const { kind, partition, term, before } = mark;
    const { token, fromMs } = kind === 'term' ? term : before;
    const key = `${kind} ${partition} ${token} ${fromMs}`;
    const node = this.#marks.get(key) ?? svg('g', { role: 'img', tabindex: -1, 'data-key': key });
    this.#marks.set(key, node);
    const sentence = sentenceOf(mark);
    this.#texts.set(node, sentence);
    node.setAttribute('aria-label', sentence);
    node.row = row;
    node.middle = (x(mark.fromMs) + x(mark.untilMs)) / 2;
    const [from, until] = [x(mark.fromMs), x(mark.untilMs)];
    node.replaceChildren(...shapesOf(mark, from, until, row * (lane + laneGap)));
    return node;
  }

  /** Shows these marks in this order. One of them is reached by the tab key. */
  #keep(nodes) {
    placeChildren(this.#layer, nodes);
    const kept = new Set(nodes);
    for (const [key, node] of this.#marks) {
      if (kept.has(node)) continue;
      this.#marks.delete(key);
      this.#texts.delete(node);
    }
    if (!nodes.some((node) => node.getAttribute('tabindex') === '0'))
      nodes.at(-1)?.setAttribute('tabindex', '0');
    say(this.#detail, this.#texts.get(this.#shown) ?? hint);
  }

  /** Each redrawing brings new shapes under a pointer that rests: the mark is the same, and says nothing new. */
  #point(target) {
    const mark = target.closest('[data-key]');
    if (mark !== this.#pointed) this.#describe(target);
    this.#pointed = mark;
  }

  #describe(target) {
    const node = target.closest('[data-key]');
    if (node === null) return;
    this.#shown = node;
    say(this.#detail, this.#texts.get(node) ?? hint);
  }

  #key(event) {
    const nodes = [...this.#layer.children];
    const node = document.activeElement;
    const at = nodes.indexOf(node);
    if (at < 0) return;
    const inRow = (row) => nodes.filter((one) => one.row === row);
    const nearest = (row) =>
      inRow(row).toSorted(
        (a, b) => Math.abs(a.middle - node.middle) - Math.abs(b.middle - node.middle),
      )[0];
    const own = inRow(node.row);
    const next = {
      ArrowRight: () => own[own.indexOf(node) + 1],
      ArrowLeft: () => own[own.indexOf(node) - 1],
      ArrowDown: () => nearest(node.row + 1),
      ArrowUp: () => nearest(node.row - 1),
      Home: () => own[0],
      End: () => own.at(-1),
    }[event.key]?.();
    if (next === undefined) return;
    event.preventDefault();
    for (const one of nodes) one.setAttribute('tabindex', one === next ? '0' : '-1');
    next.focus();
  }
}

const hint =
  'Point at a bar, or focus the timeline and use the arrow keys: how the term ended, and how long nobody led.';

function shapesOf(mark, from, until, y) {
  const shapes =
    mark.kind === 'term' ? termShapes(mark, from, until, y) : gapShapes(mark, from, until, y);
  const frame = {
    class: 'frame',
    x: from,
    y,
    width: Math.max(4, until - from),
    height: lane,
    rx: 4,
  };
  return [...shapes, svg('rect', frame)];
}

function termShapes({ term: { member } }, from, until, y) {
  const box = { x: from, y, width: Math.max(2, until - from - 1), height: lane, rx: 4 };
  const bar = svg('rect', { ...box, fill: colourOf(member) });
  const fits = box.width > member.length * letterWidth + 14;
  return fits ? [bar, svg('text', { class: 'name', x: from + 7, y: y + 16 }, member)] : [bar];
}

/** The time without a leader, and its kind where there is room. */
function gapShapes({ before, fromMs, untilMs }, from, until, y) {
  const kind = ends[before.ended]?.[2] ?? 'change';
  const width = Math.max(3, until - from);
  const gap = svg('rect', { class: `gap ${kind}`, x: from, y: y + lane - 8, width, height: 4 });
  const text = `${kind} ${duration(untilMs - fromMs)}`;
  const place = { class: 'change', x: (from + until) / 2, y: y + 11, 'text-anchor': 'middle' };
  return width > text.length * letterWidth ? [gap, svg('text', place, text)] : [gap];
}
