// The timeline: one lane for each partition, terms from left to right, and what lies between them.
import { duration, svg, time } from './dom.js';

/** About the width of a letter in the timeline. Pixels. */
const letterWidth = 7;
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

/** Returns how each term began, by its partition and token: the words, and the gap before it. */
export function beginningsOf(terms) {
  const last = new Map();
  const beginnings = new Map();
  for (const term of terms) {
    const before = last.get(term.partition);
    last.set(term.partition, term);
    beginnings.set(term, before === undefined ? { kind: 'first' } : beginningOf(before, term));
  }
  return beginnings;
}

function beginningOf(before, { fromMs, member }) {
  const gapMs = Math.max(0, fromMs - (before.untilMs ?? fromMs));
  const kinds = { 'handed over': 'hand-over', lost: 'fail-over' };
  const kind = kinds[before.ending] ?? 'change';
  return { kind, gapMs, fromMs: before.untilMs ?? fromMs, from: before.member, to: member };
}

export function wordsOf(beginning) {
  const { kind, gapMs, from } = beginning;
  if (kind === 'first') return 'first seen';
  const gap = `${duration(gapMs)} without a leader`;
  return `${kind === 'change' ? 'after' : `${kind} from`} ${from}, ${gap}`;
}

/** One lane for each of `partitions`: terms from left to right, with a colour for each member. */
export function timeline(width, atMs, partitions, terms) {
  const [lane, gap] = [24, 8];
  const left = partitions.length > 1 ? 10 + letterWidth * String(partitions.at(-1)).length : 0;
  const fromMs = Math.min(atMs - 10_000, ...terms.map((term) => term.fromMs));
  const x = (ms) => left + ((ms - fromMs) / (atMs - fromMs)) * (width - left);
  const top = (index) => index * (lane + gap);
  const bottom = top(partitions.length);
  const picture = svg('svg', { viewBox: `0 0 ${width} ${bottom + 16}` });
  for (const [index, partition] of partitions.entries()) {
    if (left > 0) picture.append(svg('text', { x: 0, y: top(index) + 16 }, String(partition)));
    picture.append(
      svg('rect', {
        class: 'lane',
        x: left,
        y: top(index),
        width: width - left,
        height: lane,
        rx: 4,
      }),
    );
  }
  for (const [term, beginning] of beginningsOf(terms)) {
    const index = partitions.indexOf(term.partition);
    if (index < 0) continue;
    const place = { y: top(index), lane };
    picture.append(
      ...termShapes(term, x(term.fromMs), x(term.untilMs ?? atMs), place),
      ...changeShapes(beginning, x(beginning.fromMs), x(term.fromMs), place),
    );
  }
  const y = bottom + 12;
  picture.append(
    svg('text', { x: left, y }, time(fromMs)),
    svg('text', { x: width, y, 'text-anchor': 'end' }, 'now'),
  );
  return picture;
}

function termShapes({ member, token }, from, until, { y, lane }) {
  const box = { x: from, y, width: Math.max(2, until - from - 1), height: lane, rx: 4 };
  const bar = svg('rect', { ...box, fill: colourOf(member) });
  bar.append(svg('title', {}, `${member}, term ${token}`));
  const fits = box.width > member.length * letterWidth + 14;
  return fits ? [bar, svg('text', { class: 'name', x: from + 7, y: y + 16 }, member)] : [bar];
}

/** The time without a leader, and its kind where there is room. */
function changeShapes({ kind, gapMs }, from, until, { y, lane }) {
  if (kind === 'first' || !(until > from)) return [];
  const gap = svg('rect', {
    class: `gap ${kind}`,
    x: from,
    y: y + lane - 8,
    width: until - from,
    height: 4,
  });
  const text = `${kind} ${duration(gapMs)}`;
  const fits = until - from > text.length * letterWidth;
  return fits
    ? [
        gap,
        svg(
          'text',
          { class: 'change', x: (from + until) / 2, y: y + 11, 'text-anchor': 'middle' },
          text,
        ),
      ]
    : [gap];
}
