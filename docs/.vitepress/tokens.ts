// Attributes of the elements that Markdown does not set.
import type { MarkdownRenderer } from 'vitepress';

/** Shows braces in code as they are: `{{.Name}}` would be an expression of Vue. */
export function keepBraces(markdown: MarkdownRenderer): void {
  markdown.core.ruler.push('braces', ({ tokens }) => {
    for (const token of tokens.flatMap(({ children }) => children ?? []))
      if (token.type === 'code_inline') token.attrSet('v-pre', '');
  });
}

/**
 * Gives each cell of a table the title of its column: on a phone the cells of a row are shown below
 * each other.
 */
export function labelCells(markdown: MarkdownRenderer): void {
  markdown.core.ruler.push('cell-labels', ({ tokens }) => {
    const contents = tokens.map(({ children }) => textOf(children ?? []));
    for (const [index, { type }] of tokens.entries())
      if (type === 'table_open') labelTable(tokens.slice(index), contents.slice(index));
  });
}

/** Labels the cells of the table with which these tokens begin. */
function labelTable(tokens: readonly Cell[], contents: readonly string[]): void {
  const end = tokens.findIndex(({ type }) => type === 'table_close');
  const own = tokens.slice(0, end);
  const titles = own.flatMap(({ type }, index) =>
    type === 'th_open' ? [contents[index + 1] ?? ''] : [],
  );
  const cells = own.filter(({ type }) => type === 'td_open');
  for (const [index, cell] of cells.entries())
    cell.attrSet('data-label', titles[index % titles.length] ?? '');
}

const textOf = (children: readonly { readonly content: string }[]): string =>
  children.map(({ content }) => content).join('');

interface Cell {
  readonly type: string;
  attrSet(name: string, value: string): void;
}
