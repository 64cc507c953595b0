// Diagrams in fences of the language `mermaid`, as the host of the repository draws them.
import type { MarkdownRenderer } from 'vitepress';

/** Renders such fences as the component of the theme. Its text is shown until it is drawn. */
export function mermaidFences(markdown: MarkdownRenderer): void {
  const { fence } = markdown.renderer.rules;
  markdown.renderer.rules.fence = (tokens, index, ...rest) => {
    const { info, content } = tokens[index] ?? { info: '', content: '' };
    if (info.trim() === 'mermaid')
      return `<MermaidDiagram source="${encodeURIComponent(content)}" />\n`;
    return fence?.(tokens, index, ...rest) ?? '';
  };
}
