// The manifests of Kubernetes against the declarations of its API: no unknown field, no wrong type.
import { readdirSync } from 'node:fs';
import { resolve } from 'node:path';
import ts from 'typescript';
import { expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { textOf } from './docs/document.ts';

interface Resource {
  readonly apiVersion: string;
  readonly kind: string;
  readonly spec: {
    readonly template?: { readonly spec: Readonly<Record<string, unknown>> };
  };
}

const manifests = readdirSync(resolve(import.meta.dirname, '../kubernetes')).map(
  (file) =>
    [
      file,
      parseAllDocuments(textOf(`examples/kubernetes/${file}`)).map(
        (document) => document.toJS() as Resource,
      ),
    ] as const,
);

/** Returns what the API would not accept, as the compiler reports it. */
function complaints(resources: readonly Resource[]): readonly string[] {
  const lines = resources.map(({ apiVersion, kind, ...rest }) => {
    // The declarations name a group without its domain.
    const path = apiVersion.replace(/\.[^/]*/, '');
    const module = path.includes('/') ? path : `core/${path}`;
    const text = JSON.stringify({ apiVersion, kind, ...rest });
    return `((_: import('kubernetes-types/${module}').${kind}) => _)(${text});`;
  });
  const path = resolve(import.meta.dirname, 'manifest.generated.ts');
  const options = {
    strict: true,
    noEmit: true,
    types: [],
    lib: ['lib.es5.d.ts'],
    module: ts.ModuleKind.NodeNext,
  };
  const host = ts.createCompilerHost(options);
  const { getSourceFile, fileExists } = host;
  host.fileExists = (name) => name === path || fileExists(name);
  host.getSourceFile = (name, ...how) =>
    name === path
      ? ts.createSourceFile(name, lines.join('\n'), ts.ScriptTarget.ESNext)
      : getSourceFile(name, ...how);
  const program = ts.createProgram([path], options, host);
  return program
    .getSemanticDiagnostics(program.getSourceFile(path))
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' '));
}

it.each(manifests)('%s: the API accepts each field', (_file, resources) => {
  expect(complaints(resources)).toEqual([]);
});

it('reports a misspelt field, a wrong type and an unknown kind', () => {
  const resources = manifests.find(([file]) => file === 'deployment.yaml')?.[1] ?? [];
  const deployment = resources.find(({ kind }) => kind === 'Deployment');
  if (deployment?.spec.template === undefined) throw new Error('no pods');
  const changed = (change: Readonly<Record<string, unknown>>): Resource => {
    const { template } = deployment.spec;
    const spec = { ...template?.spec, ...change };
    return { ...deployment, spec: { ...deployment.spec, template: { ...template, spec } } };
  };
  expect(complaints([changed({ terminationGraceSeconds: 30 })])[0]).toContain(
    'terminationGraceSeconds',
  );
  expect(complaints([changed({ terminationGracePeriodSeconds: '30' })])[0]).toContain("'string'");
  expect(complaints([{ ...deployment, kind: 'Deploiment' }])[0]).toContain('Deploiment');
});
