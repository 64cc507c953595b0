// Removes the types from the sources that Node imports. Node 20 cannot do that itself.
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { transformWithOxc } from 'vite';

export async function load(url, context, nextLoad) {
  if (!url.startsWith('file:') || !url.endsWith('.ts')) return nextLoad(url, context);
  const path = fileURLToPath(url);
  const text = await readFile(path, 'utf8');
  const source = (await withoutTypes(path, text)) ?? (await compiled(path, text));
  return { format: 'module', shortCircuit: true, source };
}

/**
 * Returns the code that Vite generates for the tests, or `undefined` if that imports a helper,
 * which only a bundle contains. It does for `using`.
 */
async function withoutTypes(path, text) {
  const { code, map } = await transformWithOxc(text, path, { target: 'node20' });
  if (code.includes('@oxc-project/runtime')) return undefined;
  const encoded = Buffer.from(JSON.stringify(map)).toString('base64');
  return `${code}\n//# sourceMappingURL=data:application/json;base64,${encoded}`;
}

/** Returns the code with its helpers. The compiler takes ten times as long. */
async function compiled(fileName, text) {
  const { default: ts } = await import('typescript');
  const compilerOptions = {
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.ESNext,
    verbatimModuleSyntax: true,
    inlineSourceMap: true,
  };
  return ts.transpileModule(text, { fileName, compilerOptions }).outputText;
}
