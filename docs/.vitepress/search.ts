// What the index of the search contains. The reader loads it whole, so it must stay small.
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { withRowSections } from './option-rows.ts';

/** The largest index: a second on a slow line, as servers compress it to a quarter. Bytes. */
const indexBytesMax = 600_000;

/** Headings of the API that name no part of it. */
const unnamed =
  /^(Parameters|Returns|Properties|Methods|Type Parameters|Extends|Example|Throws|Inherited from|Call Signature|Constructors|Accessors)/;

/**
 * Returns the part of a page that the search finds. Guides and the reference are found by all their
 * words outside of programs; an item of the API by its name, its first paragraph and the names of its
 * members; a decision or a record of results by its beginning.
 */
export function searchedPart(file: string, html: string): string {
  if (file.startsWith('docs/api/')) return itemsIn(html);
  if (/^docs\/(decisions|evidence)\//.test(file)) return beginningOf(html);
  return withRowSections(withTitle(html.replaceAll(/<pre.*?<\/pre>/gs, '')));
}

const sectionsIn = (html: string): readonly string[] => html.split(/(?=<h[1-6][ >])/);
const headingOf = (section: string): string => /^<h([1-6]).*?<\/h\1>/s.exec(section)?.[0] ?? '';
/** The first paragraph of a section. A heading without a text is not found at all. */
const paragraphOf = (section: string): string => ` ${/<p>.*?<\/p>/s.exec(section)?.[0] ?? ''}`;

/** Lets each section be found by the title of its page as well. */
function withTitle(html: string): string {
  const title = /<h1[^>]*>(.*?)<a /s.exec(html)?.[1] ?? '';
  return html.replaceAll(/<h([23])[^>]*>.*?<\/h\1>/gs, (heading) => `${heading} ${title} `);
}

/** The items of an entry point: headings of the third level, each with the names of its members. */
function itemsIn(html: string): string {
  let items = '';
  for (const section of sectionsIn(html)) {
    const heading = headingOf(section);
    const level = Number(heading[2]);
    if (level === 1 || level === 3) items += heading + paragraphOf(section);
    const name = heading.replace(/<a .*/s, '').replaceAll(/<[^>]*>/g, '');
    if (level > 3 && !unnamed.test(name)) items += ` ${name}`;
  }
  return items;
}

function beginningOf(html: string): string {
  const sections = sectionsIn(html);
  const title = sections.find((section) => section.startsWith('<h1')) ?? '';
  return headingOf(title) + sections.map(paragraphOf).slice(0, 3).join('');
}

/**
 * Returns a word as the index contains it, without its ending; no word that nearly all pages contain.
 * The site receives the text of this function, so it uses nothing else.
 */
export function termOf(word: string): string | undefined {
  const term = word.toLowerCase().replace(/['’`]s?$/, '');
  const isCommon =
    /^(\d+|.|a[nst]?|the|also|all|any|and|another|are|at|be|because|been|before|between|both|but|by|can|do|does|each|every|first|for|from|gt|has|have|how|if|in|into|is|it|its|lt|may|more|most|must|never|new|no|not|of|on|once|one|only|or|other|over|own|same|so|str|than|that|their|them|then|there|they|this|to|two|until|was|what|when|where|which|while|who|will|with|without|would)$/;
  if (term === '' || isCommon.test(term)) return undefined;
  return term.length > 4 ? term.replace(/(?<=[a-z]{3})(ies|es|s|ing|ed)$/, '') : term;
}

/** Returns what is wrong with the index of a built site, as a sentence. */
export function oversizeOf(folder: string): string | undefined {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const name = files.find((file) => /@localSearchIndex(?!.*\.lean).*\.js$/.test(file)) ?? '';
  const { size } = statSync(join(folder, name));
  return size > indexBytesMax
    ? `the index of the search has ${size} bytes, and may have ${indexBytesMax}: shorten searchedPart in docs/.vitepress/search.ts`
    : undefined;
}
