// Reads the plain files in `page/` that make up the page.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** The page as one document, and the policy under which a browser shows it. */
export interface Page {
  readonly html: string;
  readonly contentSecurityPolicy: string;
}

/** The modules of the page, each after those that it imports. */
const scripts = [
  'dom.js',
  'state.js',
  'timeline.js',
  'bars.js',
  'rows.js',
  'leaders.js',
  'members.js',
  'terms.js',
  'page.js',
];

/**
 * Reads the page. Style and script are part of the document, so that it is one address, wherever it
 * is mounted. The policy names their hashes, so that it holds also where an application forbids
 * inline scripts.
 */
export function readPage(): Page {
  const read = (name: string): string =>
    readFileSync(new URL(`../page/${name}`, import.meta.url), 'utf8');
  const style = read('page.css');
  const script = scripts.map((name) => withoutImports(read(name))).join('\n');
  const html = read('page.html')
    .replace('{{icon}}', () => `data:image/svg+xml,${encodeURIComponent(read('icon.svg').trim())}`)
    .replace('/* style */', () => style)
    .replace('/* script */', () => script);
  const contentSecurityPolicy = [
    "default-src 'none'",
    `style-src '${hashOf(style)}'`,
    `script-src '${hashOf(script)}'`,
    "connect-src 'self'",
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'self'",
  ].join('; ');
  return { html, contentSecurityPolicy };
}

/** Removes what only separate files need: they become one script. */
function withoutImports(module: string): string {
  return module.replaceAll(/^import [^;]* from '\.\/.*';\n/gm, '').replaceAll(/^export /gm, '');
}

function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}
