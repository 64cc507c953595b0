// The site of the documentation: `npm run docs` builds it into dist/, with a search that needs no
// server. The pages are the Markdown files of the repository, where they are.
import { defineConfig } from 'vitepress';
import { nameEntryPoints } from './api.ts';
import { deadLinksIn } from './dead-links.ts';
import { mermaidFences } from './diagrams.ts';
import { anchorOf, linkPages } from './links.ts';
import { nameRows, weightOf, withRowSections } from './option-rows.ts';
import { pageOf, repository } from './pages.ts';
import { sidebar } from './sidebar.ts';

export default defineConfig({
  title: 'leadership',
  description: 'Leader election for Node.js: one contract over many backends',
  srcDir: '..',
  srcExclude: [
    '{bench,coverage,examples,simulation,tools}/**',
    'packages/*/!(README.md)',
    'packages/*/*/**',
    'SECURITY.md',
  ],
  rewrites: (file) => pageOf(file) ?? file,
  // No request leaves the site: the fonts and the index of the search are parts of it.
  themeConfig: {
    search: {
      provider: 'local',
      options: {
        _render: (source, env, markdown) => {
          const html = markdown.render(source, env);
          return env.frontmatter?.['search'] === false ? '' : withRowSections(html);
        },
        miniSearch: {
          searchOptions: { boost: { title: 6, text: 1, titles: 2 }, boostDocument: weightOf },
        },
      },
    },
    nav: [
      { text: 'Tutorial', link: '/tutorial/first-election' },
      { text: 'All pages', link: '/pages' },
      { text: 'API', link: '/api/' },
      { text: 'Contributing', link: '/contributing' },
    ],
    sidebar: sidebar(),
    outline: [2, 3],
    socialLinks: [{ icon: 'github', link: repository }],
  },
  markdown: {
    anchor: { slugify: anchorOf },
    config(markdown) {
      linkPages(markdown);
      nameEntryPoints(markdown);
      mermaidFences(markdown);
      nameRows(markdown);
    },
  },
  buildEnd({ outDir }) {
    const dead = deadLinksIn(outDir);
    if (dead.length > 0) throw new Error(`${dead.length} dead links:\n${dead.join('\n')}`);
  },
});
