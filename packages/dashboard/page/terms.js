// The terms: the timeline, the table of them, and since when they are known.
import { create, duration, element, keepRows, say, time } from './dom.js';
import { beginningsOf, endOf, reasonOf, Timeline, wordsOf } from './timeline.js';

const timeline = new Timeline(element('timeline'), element('term-detail'));

export function showTerms(state) {
  const { atMs, terms, watchedSinceMs } = state;
  const beginnings = beginningsOf(terms);
  keepRows(
    element('terms'),
    terms.toReversed().map((term) => ({ term, beginning: beginnings.get(term), atMs })),
    ({ term }) => `${term.partition} ${term.token} ${term.fromMs}`,
    buildTermRow,
  );
  timeline.show(state);
  const since = new Date(watchedSinceMs).toLocaleString();
  say(
    element('watched'),
    `Watched since ${since}, when the server of this page began to: earlier terms are not known.`,
  );
}

function buildTermRow(row, { term }) {
  const [by, lasted, end] = [create('td'), create('td'), create('td')];
  const began = term.isEarlier ? `before ${time(term.fromMs)}` : time(term.fromMs);
  row.append(
    create('td', began),
    create('td', String(term.partition)),
    create('td', term.member),
    by,
    lasted,
    end,
  );
  return ({ term, beginning, atMs }) => {
    say(by, wordsOf(term, beginning));
    say(lasted, duration((term.untilMs ?? atMs) - term.fromMs));
    say(end, term.detail === undefined ? endOf(term) : `${endOf(term)} (${term.detail})`);
    end.title = reasonOf(term);
  };
}
