"""Uses a fleet server through the Python client of Kubernetes, as for custom resources."""

import json
import sys

from kubernetes import client, dynamic, watch

configuration = client.Configuration()
configuration.host = sys.argv[1]
api = client.ApiClient(configuration)
kind = ("fleet.example.com", "v1", "default", "machines")
objects = client.CustomObjectsApi(api)

page = objects.list_namespaced_custom_object(*kind, limit=3)
print("page", [m["metadata"]["name"] for m in page["items"]], "more" if page["metadata"].get("continue") else "")

machine = objects.get_namespaced_custom_object(*kind, "web-1")
machine["metadata"] = {"name": "py", "labels": {"a": "b"}}
del machine["status"]
created = objects.create_namespaced_custom_object(*kind, machine)
print("created", created["metadata"]["name"], "generation", created["metadata"]["generation"])
patched = objects.patch_namespaced_custom_object(*kind, "py", {"metadata": {"labels": {"c": "d"}}})
print("patched", patched["metadata"]["labels"])
patched = objects.patch_namespaced_custom_object_status(*kind, "py", {"status": {"phase": "Running"}})
print("status", patched["status"])

try:
    objects.get_namespaced_custom_object(*kind, "nobody")
except client.ApiException as e:
    print("refused", e.status, json.loads(e.body)["message"])
try:
    objects.patch_namespaced_custom_object(*kind, "py", {"spec": {"hardware": {"cores": "many"}}})
except client.ApiException as e:
    print("refused", e.status, json.loads(e.body)["message"])

machines = dynamic.DynamicClient(api).resources.get(api_version="fleet.example.com/v1", kind="Machine")
print("discovered", machines.name, machines.verbs)
since = machines.get(namespace="default").metadata.resourceVersion
machines.patch(
    name="py", namespace="default", body={"metadata": {"labels": None}}, content_type="application/merge-patch+json"
)
machines.delete(name="py", namespace="default")
for event in machines.watch(namespace="default", resource_version=since, timeout=1):
    print("watched", event["type"], event["object"].metadata.name)
for event in watch.Watch().stream(objects.list_namespaced_custom_object, *kind, timeout_seconds=1):
    print("watched", event["type"], event["object"]["metadata"]["name"])
