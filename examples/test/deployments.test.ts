// The manifests of Kubernetes and the unit of systemd, and the rules that the how-to guides state.
import { readdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { textOf } from './docs/document.ts';

interface Container {
  readonly command: readonly string[];
  readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
  readonly env: readonly { readonly name: string; readonly value?: string }[];
  readonly livenessProbe: Probe;
  readonly readinessProbe: Probe;
  readonly volumeMounts?: readonly { readonly name: string }[];
}
interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string };
}
interface PodSpec {
  readonly terminationGracePeriodSeconds: number;
  readonly containers: readonly [Container];
  readonly volumes?: readonly { readonly name: string }[];
}
interface Resource {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec?: {
    readonly replicas?: number;
    readonly serviceName?: string;
    readonly clusterIP?: string;
    readonly selector: { readonly matchLabels?: object; readonly app?: string };
    readonly template?: { readonly metadata: { readonly labels: object }; readonly spec: PodSpec };
    readonly volumeClaimTemplates?: readonly { readonly metadata: { readonly name: string } }[];
  };
}

const directory = resolve(import.meta.dirname, '../kubernetes');
const manifests = readdirSync(directory).map((file) => {
  const documents = parseAllDocuments(textOf(`examples/kubernetes/${file}`));
  for (const { errors, warnings } of documents) expect([...errors, ...warnings]).toEqual([]);
  return [file, documents.map((document) => document.toJS() as Resource)] as const;
});

it.each(manifests)('%s: each resource is complete', (_file, resources) => {
  for (const { apiVersion, kind, metadata } of resources)
    expect([apiVersion, kind, metadata.name]).not.toContain(undefined);
  expect(resources.map(({ metadata: { name } }) => name)).toEqual(resources.map(() => 'billing'));
});

it.each(manifests.filter(([file]) => file !== 'role.yaml'))(
  '%s: pods drain before SIGKILL, receive SIGTERM, and have both probes',
  (_file, resources) => {
    const [workload] = resources.filter(({ spec }) => spec?.template);
    const { template, selector } = workload?.spec ?? {};
    if (template === undefined) throw new Error('no pods');
    expect(selector?.matchLabels).toEqual(template.metadata.labels);
    const { terminationGracePeriodSeconds, containers } = template.spec;
    const [{ env, command, ports, livenessProbe, readinessProbe }] = containers;
    const drainMs = Number(env.find(({ name }) => name === 'DRAIN_TIMEOUT_MS')?.value);
    expect(drainMs).toBeLessThan(terminationGracePeriodSeconds * 1000);
    expect(command[0], 'a shell would not pass SIGTERM on').toBe('node');
    expect([livenessProbe.httpGet.path, readinessProbe.httpGet.path]).toEqual([
      '/livez',
      '/readyz',
    ]);
    for (const { httpGet } of [livenessProbe, readinessProbe])
      expect(ports.map(({ name }) => name)).toContain(httpGet.port);
  },
);

it('the members of Nerio have the names and the volumes that the list of members needs', () => {
  const resources = manifests.find(([file]) => file === 'nerio.yaml')?.[1] ?? [];
  const service = resources.find(({ kind }) => kind === 'Service');
  const set = resources.find(({ kind }) => kind === 'StatefulSet');
  if (service === undefined || set?.spec?.template === undefined) throw new Error('incomplete');
  expect(set.spec.serviceName).toBe(service.metadata.name);
  expect(service.spec?.clusterIP).toBe('None');
  const [{ env, volumeMounts = [] }] = set.spec.template.spec.containers;
  const members = env.find(({ name }) => name === 'MEMBERS')?.value?.split(',');
  const names = Array.from(
    { length: set.spec.replicas ?? 0 },
    (_, index) => `${set.metadata.name}-${index}.${service.metadata.name}:7400`,
  );
  expect(members).toEqual(names);
  const volumes = [
    ...(set.spec.template.spec.volumes ?? []).map(({ name }) => name),
    ...(set.spec.volumeClaimTemplates ?? []).map(({ metadata }) => metadata.name),
  ];
  expect(volumeMounts.map(({ name }) => name).sort()).toEqual(volumes.sort());
});

it('systemd sends SIGKILL after the drain', () => {
  const unit = textOf('examples/systemd/billing.service');
  const numberOf = (key: string) => Number(new RegExp(`${key}=(\\d+)`).exec(unit)?.[1]);
  expect(numberOf('DRAIN_TIMEOUT_MS')).toBeLessThan(numberOf('TimeoutStopSec') * 1000);
  expect(unit).toContain('KillMode=mixed');
});
