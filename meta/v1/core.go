package v1

import (
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
)

// coreVersion is the version of the core group, in which clients of the Kubernetes API expect some
// types of this package.
const coreVersion = "v1"

// AddCoreTo registers the types that are older than the group meta.k8s.io under version v1 of the
// core group too: Status, List, APIVersions, APIGroup, APIGroupList and APIResourceList. If a
// scheme has both, the kind and apiVersion of an object select one.
func AddCoreTo(b *runtime.Builder) {
	core := schema.GroupVersion{Version: coreVersion}
	addUnder(b, kindStatus, core)
	addUnder(b, kindList, core)
	addUnder(b, kindAPIVersions, core)
	addUnder(b, kindAPIGroup, core)
	addUnder(b, kindAPIGroupList, core)
	addUnder(b, kindAPIResourceList, core)
}

// AddAutoscalingTo registers Scale in autoscaling/v1 too, where clients of the Kubernetes API
// expect the answers of the subresource scale.
func AddAutoscalingTo(b *runtime.Builder) {
	addUnder(b, kindScale, schema.GroupVersion{Group: "autoscaling", Version: "v1"})
}

// addUnder registers a copy of the spec in another version. It is not shared, because the original
// is.
func addUnder[T any](b *runtime.Builder, spec runtime.KindSpec[T], gv schema.GroupVersion) {
	spec.GroupVersionKind = gv.WithKind(spec.GroupVersionKind.Kind)
	spec.Shared = false
	runtime.AddKind(b, &spec)
}

// AddViewsTo registers [TableAsTabularOutput], so that every kind that can be shown as a Table can
// be shown as a TabularOutput.
func AddViewsTo(b *runtime.Builder) {
	runtime.AddAs(b, TableAsTabularOutput)
}

// AddDescriptionTo registers Description and DescriptionList. AddTo does not register them, because
// few programs describe objects. The functions AddDescriptionsTo of generated packages call it.
func AddDescriptionTo(b *runtime.Builder) {
	runtime.AddKind(b, &kindDescription)
	runtime.AddKind(b, &kindDescriptionList)
}
