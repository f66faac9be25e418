// Uses a fleet server through the JavaScript client of Kubernetes, as for custom resources.
import * as k8s from '@kubernetes/client-node';

const config = new k8s.KubeConfig();
// The client refuses plain HTTP unless told to skip TLS.
config.loadFromClusterAndUser({ name: 'fleet', server: process.argv[2], skipTLSVerify: true }, { name: 'me' });
const kind = { group: 'fleet.example.com', version: 'v1', namespace: 'default', plural: 'machines' };
const custom = config.makeApiClient(k8s.CustomObjectsApi);
const objects = k8s.KubernetesObjectApi.makeApiClient(config);

const page = await custom.listNamespacedCustomObject({ ...kind, limit: 3 });
console.log('page', page.items.map((m) => m.metadata.name), page.metadata.continue ? 'more' : '');

const machine = await custom.getNamespacedCustomObject({ ...kind, name: 'web-1' });
machine.metadata = { name: 'js', namespace: 'default' };
delete machine.status;
const created = await objects.create(machine);
console.log('created', created.metadata.name, 'generation', created.metadata.generation);

const labelled = (labels) => ({ apiVersion: created.apiVersion, kind: created.kind, metadata: { name: 'js', namespace: 'default', labels } });
const merged = await objects.patch(labelled({ a: 'b' }), undefined, undefined, 'merger', undefined, k8s.PatchStrategy.MergePatch);
console.log('patched', merged.metadata.labels);
const applied = await objects.patch(labelled({ c: 'd' }), undefined, undefined, 'applier', true, k8s.PatchStrategy.ServerSideApply);
console.log('applied', applied.metadata.labels, applied.metadata.managedFields.map((m) => m.manager));

try {
  await custom.getNamespacedCustomObject({ ...kind, name: 'nobody' });
} catch (e) {
  console.log('refused', e.code, JSON.parse(e.body).message);
}

const informer = k8s.makeInformer(config, '/apis/fleet.example.com/v1/namespaces/default/machines', () =>
  custom.listNamespacedCustomObject(kind));
const deleted = new Promise((resolve) => informer.on('delete', resolve));
informer.on('add', (m) => console.log('informed of', m.metadata.name));
await informer.start();
await objects.delete(created);
console.log('informed of the end of', (await deleted).metadata.name);
process.exit(0);
