// The site of the documentation: `npm run docs` builds it into dist/, with a search that needs no
// server. The pages are the Markdown files of the repository, where they are.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { defineConfig } from 'vitepress';
import { nameEntryPoints } from './api.ts';
import { deadLinksIn } from './dead-links.ts';
import { mermaidFences } from './diagrams.ts';
import { anchorOf, linkPages } from './links.ts';
import { nameRows, weightOf } from './option-rows.ts';
import { fileOf, pageOf, repository, root } from './pages.ts';
import { oversizeOf, searchedPart, termOf } from './search.ts';
import { sidebar } from './sidebar.ts';
import { keepBraces, labelCells } from './tokens.ts';

/** The icon of the dashboard. As a part of each page it needs no request. */
const icon = readFileSync(resolve(root, 'packages/dashboard/page/icon.svg'), 'utf8').trim();

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
  head: [['link', { rel: 'icon', href: `data:image/svg+xml,${encodeURIComponent(icon)}` }]],
  vite: {
    resolve: {
      // The box of the search is wrapped by one that tells that its index is loading.
      alias: [
        {
          find: /^\.\/VPLocalSearchBox\.vue$/,
          replacement: resolve(import.meta.dirname, 'theme/search-box.js'),
        },
      ],
    },
  },
  rewrites: (file) => pageOf(file) ?? file,
  // No request leaves the site: the fonts and the index of the search are parts of it.
  themeConfig: {
    search: {
      provider: 'local',
      options: {
        _render: (source, env, markdown) => {
          const html = markdown.render(source, env);
          return env.frontmatter?.['search'] === false ? '' : searchedPart(fileOf(env), html);
        },
        miniSearch: {
          options: { fields: ['title', 'text'], processTerm: termOf },
          searchOptions: { boost: { title: 6, text: 1 }, boostDocument: weightOf },
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
      labelCells(markdown);
      keepBraces(markdown);
    },
  },
  buildEnd({ outDir }) {
    const dead = deadLinksIn(outDir);
    const oversize = oversizeOf(outDir);
    if (oversize !== undefined) throw new Error(oversize);
    if (dead.length > 0) throw new Error(`${dead.length} dead links:\n${dead.join('\n')}`);
  },
});
