// The parts of a page that are generated, each below a comment that names its source:
//
//   <!-- include PATH -->          a block of code with the whole file
//   <!-- interface PATH NAME -->   a table of the fields of an interface, from their doc comments
//   <!-- arrows -->                a diagram of which package imports which
import { arrowsDiagram } from '../arrows/diagram.ts';

/** Returns the page with its generated parts made from `read`, which returns the text of a file. */
export function withGeneratedParts(page: string, read: (path: string) => string): string {
  return page
    .replace(included, (_, head: string, path: string) => `${head}${read(path)}\`\`\``)
    .replace(drawn, (_, head: string) => `${head}${arrowsDiagram()}\`\`\``)
    .replace(
      tabled,
      (_, head: string, path: string, name: string) => `${head}${tableOf(read(path), name)}`,
    );
}

const included = /(<!-- include (\S+) -->\n```\w*\n)[\s\S]*?```/g;
const drawn = /(<!-- arrows -->\n```mermaid\n)[\s\S]*?```/g;
const tabled = /(<!-- interface (\S+) (\w+) -->\n)(?:\|.*\n)*/g;

function tableOf(source: string, name: string): string {
  const body = new RegExp(`interface ${name}\\b[^{]*{([\\s\\S]*?)\n}`).exec(source)?.[1];
  if (body === undefined) throw new Error(`the file declares no interface ${name}`);
  const rows = [...`${body}\n`.matchAll(field)].map(
    ([, comment = '', field = '', type = '']) =>
      `| \`${field}\` | \`${cell(type)}\` | ${cell(plain(comment))} |`,
  );
  return ['| name | type | meaning |', '| --- | --- | --- |', ...rows, ''].join('\n');
}

/** A doc comment, and the field that it describes. A field of a nested type is indented deeper. */
const field =
  / {2}\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\n {2}readonly (\w+)\??:\s+([\s\S]*?);\n(?! {4}| {2}})/g;

function plain(comment: string): string {
  return comment.replaceAll(/^\s*\*/gm, '').replaceAll(/{@link (\w+)}/g, '`$1`');
}

function cell(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim().replaceAll('|', '\\|');
}
