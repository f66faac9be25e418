package bench

import (
	"fmt"
	"strconv"

	"github.com/askind/askind/examples/fleet/api/fleet/v1"
	"github.com/askind/askind/examples/fleet/api/fleet/v1alpha1"
	"github.com/askind/askind/examples/fleet/api/fleet/v1beta1"
	inventoryv1 "github.com/askind/askind/examples/fleet/api/inventory/v1"
	"github.com/askind/askind/internal/dice"
	"github.com/askind/askind/meta/intstr"
	"github.com/askind/askind/meta/resource"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/serializer"
	"github.com/askind/askind/serializer/cbor"
	"github.com/askind/askind/serializer/json"
	"github.com/askind/askind/serializer/protobuf"
	"github.com/askind/askind/serializer/yaml"
)

// The kinds that the objects are of.
var (
	MachineKind      = v1.GroupVersion.WithKind("Machine")
	MachineListKind  = v1.GroupVersion.WithKind("MachineList")
	MetadataKind     = metav1.GroupVersion.WithKind("PartialObjectMetadata")
	MetadataListKind = metav1.GroupVersion.WithKind("PartialObjectMetadataList")
)

// NewScheme builds the scheme of the example: two groups, four versions, and the kinds that all
// groups share.
func NewScheme() (*runtime.Scheme, error) {
	return runtime.NewScheme(v1.AddTo, v1beta1.AddTo, v1alpha1.AddTo, inventoryv1.AddTo, metav1.AddTo, metav1.AddCoreTo)
}

// NewFactory returns a factory over [NewScheme] with all formats of objects.
func NewFactory() (*serializer.Factory, error) {
	scheme, err := NewScheme()
	if err != nil {
		return nil, err
	}
	return serializer.NewFactory(scheme, json.Format(), yaml.Format(), protobuf.Format(), cbor.Format())
}

func diceOf(i int) dice.Dice { return dice.New(i, 0x61736b696e64) }

func uid(d dice.Dice) string {
	a, b := d.Uint64(), d.Uint64()
	return fmt.Sprintf("%08x-%04x-4%03x-%04x-%012x", uint32(a), uint16(a>>32), a>>52, 0x8000|b>>50, b&(1<<48-1))
}

// epoch is a second in the year 2026. Times of objects are after it.
const epoch = 1_772_000_000

// at returns the time some seconds after the epoch. The time zone is the local one, as in decoded
// objects.
func at(seconds int) *metav1.Time {
	t := metav1.Unix(epoch+int64(seconds), 0)
	return &t
}

// objectMeta returns metadata as stored by a server.
func objectMeta(i int) metav1.ObjectMeta {
	d := diceOf(i)
	app := dice.Of(d, "web", "checkout", "search", "billing", "image-resize", "session-store", "ingest")
	pool := app + "-" + d.ID(9)
	created := i * 7
	return metav1.ObjectMeta{
		Name: pool + "-" + d.ID(5), GenerateName: pool + "-", Namespace: dice.Of(d, "production", "staging",
			"team-payments"),
		UID: uid(d), ResourceVersion: strconv.Itoa(481_516_234 + i*3), Generation: int64(1 + d.IntN(6)),
		CreationTimestamp: *at(created),
		Labels: map[string]string{
			"app.kubernetes.io/name": app, "app.kubernetes.io/instance": app + "-" +
				dice.Of(d, "blue", "green"), "app.kubernetes.io/managed-by": "fleetctl",
			"app.kubernetes.io/version": fmt.Sprintf("1.%d.%d", d.IntN(40), d.IntN(9)), "fleet.example.com/pool": pool,
			"topology.example.com/zone": dice.Of(d, "fra-1", "fra-2", "ams-1"),
		},
		Annotations: map[string]string{
			"fleet.example.com/last-drain":  at(created + 4000).Time.UTC().Format("2006-01-02T15:04:05Z"),
			"fleet.example.com/config-hash": fmt.Sprintf("%016x%016x", d.Uint64(), d.Uint64()),
			"example.com/contact":           app + "-team@example.com",
			"example.com/description": "Serves " + app + " in the \"" + dice.Of(d, "blue", "green") +
				"\" half of the fleet;\nsee the handbook before you stop it.",
			"monitoring.example.com/targets": `[{"port":9100,"path":"/metrics"},{"port":8443,"path":"/internal/metrics"}]`,
		},
		OwnerReferences: []metav1.OwnerReference{{
			APIVersion: "fleet.example.com/v1", Kind: "MachinePool", Name: pool, UID: uid(d), Controller: new(true),
			BlockOwnerDeletion: new(true),
		}},
		Finalizers:    []string{"fleet.example.com/drain"},
		ManagedFields: managedFields(created),
	}
}

// managedFields returns the entries of three programs that wrote an object in turn.
func managedFields(created int) []metav1.ManagedFieldsEntry {
	entry := func(manager, subresource string, op metav1.ManagedFieldsOperation, seconds int,
		fields string,
	) metav1.ManagedFieldsEntry {
		return metav1.ManagedFieldsEntry{
			Manager: manager, Operation: op, APIVersion: "fleet.example.com/v1", Time: at(seconds),
			FieldsType: "FieldsV1",
			FieldsV1:   &metav1.FieldsV1{Raw: []byte(fields)}, Subresource: subresource,
		}
	}
	return []metav1.ManagedFieldsEntry{
		entry("fleet-pool-controller", "", metav1.ManagedFieldsOperationUpdate, created, fieldsOfPool),
		entry("fleetctl", "", metav1.ManagedFieldsOperationApply, created+40, fieldsOfUser),
		entry("fleet-agent", "status", metav1.ManagedFieldsOperationUpdate, created+4321, fieldsOfAgent),
	}
}

// The fields that each of the three programs set, in the Kubernetes wire format: keys of fields
// begin with f:, those of list items with k: or v:.
const (
	fieldsOfPool  = `{"f:metadata":{"f:finalizers":{".":{},"v:\"fleet.example.com/drain\"":{}},"f:generateName":{},"f:labels":{".":{},"f:app.kubernetes.io/instance":{},"f:app.kubernetes.io/name":{},"f:fleet.example.com/pool":{}},"f:ownerReferences":{".":{},"k:{\"uid\":\"6f1c2a3e-0b57-4c55-9d53-2f3d1c6a7e90\"}":{}}},"f:spec":{"f:boot":{"f:image":{".":{},"f:checksum":{},"f:name":{}},"f:type":{}},"f:disks":{".":{},"k:{\"name\":\"data\"}":{".":{},"f:medium":{},"f:name":{},"f:partitions":{},"f:size":{}},"k:{\"name\":\"root\"}":{".":{},"f:medium":{},"f:name":{},"f:partitions":{},"f:size":{}}},"f:drainTimeout":{},"f:hardware":{"f:architecture":{},"f:cores":{},"f:memory":{}},"f:poolName":{},"f:powerState":{},"f:zone":{}}}`
	fieldsOfUser  = `{"f:metadata":{"f:annotations":{"f:example.com/contact":{},"f:example.com/description":{},"f:monitoring.example.com/targets":{}},"f:labels":{"f:app.kubernetes.io/managed-by":{},"f:app.kubernetes.io/version":{},"f:topology.example.com/zone":{}}},"f:spec":{"f:healthCheck":{"f:failureThreshold":{},"f:interval":{},"f:path":{},"f:port":{}},"f:kernelArguments":{"f:console":{},"f:hugepages":{},"f:mitigations":{},"f:quiet":{}},"f:reserved":{"f:cpu":{},"f:ephemeral-storage":{},"f:memory":{}}}}`
	fieldsOfAgent = `{"f:metadata":{"f:annotations":{"f:fleet.example.com/config-hash":{},"f:fleet.example.com/last-drain":{}}},"f:status":{"f:addresses":{".":{},"k:{\"address\":\"10.1.0.17\"}":{".":{},"f:address":{},"f:type":{}}},"f:conditions":{".":{},"k:{\"type\":\"DiskPressure\"}":{".":{},"f:lastTransitionTime":{},"f:message":{},"f:reason":{},"f:status":{},"f:type":{}},"k:{\"type\":\"NetworkReachable\"}":{".":{},"f:lastTransitionTime":{},"f:message":{},"f:reason":{},"f:status":{},"f:type":{}},"k:{\"type\":\"Ready\"}":{".":{},"f:lastTransitionTime":{},"f:message":{},"f:observedGeneration":{},"f:reason":{},"f:status":{},"f:type":{}}},"f:lastBootTime":{},"f:observedGeneration":{},"f:phase":{}}}`
)

// Machine returns the machine with a number: about 5.5 KB of JSON, including 2 KB of managed
// fields.
func Machine(i int) *v1.Machine {
	meta := objectMeta(i)
	d := diceOf(-1 - i)
	gi := func(n int64) resource.Quantity { return resource.NewQuantity(n<<30, resource.BinarySI) }
	return &v1.Machine{
		TypeMeta:   metav1.TypeMeta{APIVersion: MachineKind.APIVersion(), Kind: MachineKind.Kind},
		ObjectMeta: meta,
		Spec: v1.MachineSpec{
			PoolName: meta.Labels["fleet.example.com/pool"], Zone: meta.Labels["topology.example.com/zone"],
			Hardware: v1.Hardware{
				Cores: dice.Of[int32](d, 8, 16, 32, 64), Memory: gi(dice.Of[int64](d, 32, 64, 256)),
				Architecture: dice.Of(d, v1.ArchitectureAMD64, v1.ArchitectureARM64),
			},
			Asset: &v1.Asset{SerialNumber: fmt.Sprintf("7QX-%05d", i), Model: dice.Of(d, "Pine R210", "Pine R410",
				"Oak 2U"), Owner: strconv.Itoa(4000 + d.IntN(900)), PurchasedOn: at(-86_400 * (100 + i%300))},
			Boot: v1.BootSource{
				Type: v1.BootFromImage,
				Image: &v1.BootImage{
					Name: dice.Of(d, "debian-13", "debian-12", "flatcar-4230"),
					Checksum: fmt.Sprintf("sha256:%016x%016x%016x%016x", d.Uint64(), d.Uint64(), d.Uint64(),
						d.Uint64()),
				},
			},
			Disks: []v1.Disk{
				{Name: "root", Size: gi(480), Medium: v1.MediumSSD, Partitions: []v1.Partition{
					{
						Label: "efi", Size: resource.NewQuantity(512<<20, resource.BinarySI), FileSystem: "vfat",
						MountPath: "/boot/efi",
					},
					{Label: "system", Size: gi(100), FileSystem: "ext4", MountPath: "/"},
					{Label: "data", Size: gi(300), FileSystem: "xfs", MountPath: "/srv", Encrypted: true},
				}},
				{
					Name: "data", Size: gi(dice.Of[int64](d, 2048, 8192)), Medium: v1.MediumHDD,
					Partitions: []v1.Partition{
						{Label: "archive", Size: gi(1500), FileSystem: "xfs", MountPath: "/archive", Encrypted: true},
					},
				},
			},
			Reserved: map[string]resource.Quantity{
				"cpu": resource.NewMilliQuantity(int64(250*(1+d.IntN(4))), resource.DecimalSI), "memory": gi(2),
				"ephemeral-storage": gi(10),
			},
			KernelArguments: map[string]string{
				"console": "ttyS0,115200n8", "quiet": "", "mitigations": "auto,nosmt",
				"hugepages": strconv.Itoa(64 << d.IntN(4)),
			},
			HealthCheck: &v1.HealthCheck{
				Port: intstr.FromString("https"), Path: "/healthz",
				Interval: new(metav1.NewDuration(10e9)), FailureThreshold: new(int32(3)),
			},
			DrainTimeout: new(metav1.NewDuration(300e9)),
			PowerState:   v1.PowerOn,
			ProviderConfig: &runtime.RawExtension{Raw: fmt.Appendf(nil,
				`{"apiVersion":"rack.example.net/v2","kind":"Placement","row":%d,"units":[%d,%d],"feeds":{"a":"pdu-%d-a","b":"pdu-%d-b"}}`, i%40, i%42, i%42+1, i%40, i%40)},
		},
		Status: v1.MachineStatus{
			Phase: v1.MachineRunning,
			Addresses: []v1.Address{
				{Type: v1.AddressInternal, Address: fmt.Sprintf("10.%d.%d.%d", i>>16&255, i>>8&255, i&255)},
				{Type: v1.AddressExternal, Address: fmt.Sprintf("%s.fra.fleet.example.com", meta.Name)},
			},
			LastBootTime: at(i*7 + 120),
			Conditions: []metav1.Condition{
				{
					Type: v1.MachineReady, Status: "True", ObservedGeneration: meta.Generation,
					LastTransitionTime: *at(i*7 + 180), Reason: "HealthCheckPassed",
					Message: fmt.Sprintf("answered 200 in %d ms", 1+d.IntN(30)),
				},
				{
					Type: "DiskPressure", Status: "False", LastTransitionTime: *at(i*7 + 130), Reason: "EnoughSpace",
					Message: "the fullest disk has " + strconv.Itoa(20+d.IntN(70)) + " % left",
				},
				{
					Type: "NetworkReachable", Status: "True", LastTransitionTime: *at(i*7 + 150), Reason: "PeersAnswer",
					Message: "3 of 3 peers answer",
				},
			},
			ObservedGeneration: meta.Generation,
		},
	}
}

// Small returns a machine as written by a user, with defaults: about 320 bytes of JSON.
func Small(i int) *v1.Machine {
	return &v1.Machine{
		TypeMeta: metav1.TypeMeta{APIVersion: MachineKind.APIVersion(), Kind: MachineKind.Kind},
		ObjectMeta: metav1.ObjectMeta{
			Name: "web-" + strconv.Itoa(i), Namespace: "default",
			Labels: map[string]string{"app": "web", "tier": "front"},
		},
		Spec: v1.MachineSpec{
			Zone: "fra-1", Hardware: v1.Hardware{
				Cores: 16, Memory: resource.NewQuantity(64<<30, resource.BinarySI),
				Architecture: v1.ArchitectureAMD64,
			},
			Boot:         v1.BootSource{Type: v1.BootFromImage, Image: &v1.BootImage{Name: "debian-13"}},
			DrainTimeout: new(metav1.NewDuration(300e9)), PowerState: v1.PowerOn,
		},
	}
}

// Machines returns the list of the first n machines.
func Machines(n int) *v1.MachineList {
	list := &v1.MachineList{
		TypeMeta: metav1.TypeMeta{APIVersion: MachineListKind.APIVersion(), Kind: MachineListKind.Kind},
		ListMeta: metav1.ListMeta{ResourceVersion: "481999999"},
		Items:    make([]v1.Machine, n),
	}
	for i := range list.Items {
		list.Items[i] = *Machine(i)
		list.Items[i].TypeMeta = metav1.TypeMeta{} // items of typed lists do not state it
	}
	return list
}

// Metadata returns the metadata of [Machine].
func Metadata(i int) *metav1.PartialObjectMetadata {
	return &metav1.PartialObjectMetadata{
		TypeMeta:   metav1.TypeMeta{APIVersion: MetadataKind.APIVersion(), Kind: MetadataKind.Kind},
		ObjectMeta: objectMeta(i),
	}
}

// MetadataList returns the metadata of the first n machines. Its items state their type, as in
// responses.
func MetadataList(n int) *metav1.PartialObjectMetadataList {
	list := &metav1.PartialObjectMetadataList{
		TypeMeta: metav1.TypeMeta{APIVersion: MetadataListKind.APIVersion(), Kind: MetadataListKind.Kind},
		ListMeta: metav1.ListMeta{ResourceVersion: "481999999"},
		Items:    make([]metav1.PartialObjectMetadata, n),
	}
	for i := range list.Items {
		list.Items[i] = *Metadata(i)
	}
	return list
}
