// The rows of options in tables are results of the search, like headings: their names are seldom in
// a heading.
import type { MarkdownRenderer } from 'vitepress';
import { fileOf } from './pages.ts';

/** The pages whose tables define names. */
const references = /^docs\/reference\//;

/** A row, as it is rendered: its address on the page, its name, and its other cells. */
const row = /<tr id="(row-[^"]*)">\s*<td[^>]*><code[^>]*>(.*?)<\/code><\/td>(.*?)<\/tr>/gs;

/** Gives rows that begin with a name in code an address on their page. */
export function nameRows(markdown: MarkdownRenderer): void {
  markdown.core.ruler.push('row-names', ({ tokens, env }) => {
    if (!references.test(fileOf(env))) return;
    const used = new Set<string>();
    for (const [index, token] of tokens.entries()) {
      const name = nameIn(tokens.slice(index, index + 3));
      if (name === undefined) continue;
      const id = used.has(name) ? `${name}-${used.size}` : name;
      used.add(id);
      token.attrSet('id', id);
    }
  });
}

/** Returns the address of a row whose first cell is only a name; these are its first tokens. */
function nameIn([row, cell, text]: readonly Part[]): string | undefined {
  if (row?.type !== 'tr_open' || cell?.type !== 'td_open') return undefined;
  const [name, ...more] = text?.children ?? [];
  if (name?.type !== 'code_inline' || more.length > 0) return undefined;
  return `row-${name.content.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}`;
}

interface Part {
  readonly type: string;
  readonly content: string;
  readonly children: readonly Part[] | null;
}

/** Returns a page for the index of the search: each named row follows its section, as one of its own. */
export function withRowSections(html: string): string {
  return html
    .split(/(?=<h[1-6][ >])/)
    .map(
      (section) => section.replaceAll(row, '') + [...section.matchAll(row)].map(sectionOf).join(''),
    )
    .join('');
}

function sectionOf([, id, name, cells]: RegExpMatchArray): string {
  return `<h6>${name}<a href="#${id}"> </a></h6>${cells}`;
}

/**
 * Ranks a result by its page: the reference defines a name, and decisions and evidence only mention
 * it. The site receives the text of this function, so it uses nothing else.
 */
export function weightOf(id: string): number {
  if (id.startsWith('/reference/')) return 2;
  return /^\/(decisions|evidence)\//.test(id) ? 0.3 : 1;
}
