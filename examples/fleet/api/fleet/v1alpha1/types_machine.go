package v1alpha1

import (
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
)

// Machine is one computer of the fleet.
//
// +askind:kind:resource=machines,shortName=mc,categories=all
// +kubebuilder:printcolumn:name="Zone",type=string,JSONPath=`.spec.zone`,description="The location of the machine."
// +kubebuilder:printcolumn:name="CPU",type=string,JSONPath=`.spec.cpu`,description="Number of processor cores."
// +kubebuilder:printcolumn:name="Memory",type=string,JSONPath=`.spec.memory`,description="Size of the main memory."
// +kubebuilder:printcolumn:name="State",type=string,JSONPath=`.status.state`,description="The state of the machine."
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`,description="The time since the object was created."
type Machine struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec is the desired state.
	Spec MachineSpec `json:"spec"`

	// Status is the observed state.
	Status MachineStatus `json:"status,omitzero"`
}

// MachineList is a list of machines.
type MachineList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	// Items holds the machines.
	Items []Machine `json:"items"`
}

// MachineSpec is the desired state of a machine. At most one of Image, NetbootURL and BootDisk is
// set.
//
// +askind:absent:field=hardware.architecture,reason="all machines of v1alpha1 were amd64"
// +askind:absent:field=asset,reason="v1alpha1 had no inventory records"
// +askind:absent:field=boot.image.checksum,reason="v1alpha1 trusts the provider's images"
// +askind:absent:field=boot.disk.partition,reason="v1alpha1 leaves the choice of the partition to the disk"
// +askind:absent:field=healthCheck.interval,reason="v1alpha1 checks every ten seconds"
// +askind:absent:field=healthCheck.failureThreshold,reason="v1alpha1 allows three failures"
type MachineSpec struct {
	// Pool is the pool that the machine belongs to. It is blank for a machine without a pool.
	//
	// +askind:to=poolName
	Pool string `json:"pool,omitempty"`

	// Zone is the location of the machine.
	Zone string `json:"zone"`

	// Rack is the location in the zone.
	//
	// +askind:drop="since v1 the provider knows the racks"
	Rack string `json:"rack,omitempty"`

	// CPU is the number of processor cores, as text.
	//
	// +askind:to=hardware.cores
	CPU string `json:"cpu"`

	// Memory is the size of the main memory, as the text of a quantity.
	//
	// +askind:to=hardware.memory
	Memory string `json:"memory"`

	// Image is the image to boot from.
	Image string `json:"image,omitempty"`

	// NetbootURL is the address of a boot program for booting over the network.
	NetbootURL string `json:"netbootURL,omitempty"`

	// BootDisk is the name of one of the machine's disks to boot from.
	BootDisk string `json:"bootDisk,omitempty"`

	// Disks are the disks in the order in which the machine sees them.
	Disks []Disk `json:"disks,omitempty"`

	// Reserved is the amount of each resource that is reserved for the system, as the text of a
	// quantity.
	Reserved map[string]string `json:"reserved,omitempty"`

	// KernelArgs are passed to the kernel at boot. A blank value passes the name alone.
	//
	// +askind:to=kernelArguments
	KernelArgs map[string]string `json:"kernelArgs,omitempty"`

	// HealthPort is the number or the name of the port for health requests. Without it the machine
	// counts as healthy.
	//
	// +askind:to=healthCheck.port
	HealthPort string `json:"healthPort,omitempty"`

	// HealthPath is the path of health requests.
	//
	// +askind:to=healthCheck.path
	HealthPath string `json:"healthPath,omitempty"`

	// DrainTimeout is the time limit for moving work off the machine before it is stopped, as
	// "5m0s".
	//
	// +default="5m0s"
	DrainTimeout string `json:"drainTimeout,omitempty"`

	// PoweredOff states that the machine should not run.
	//
	// +askind:to=powerState
	PoweredOff bool `json:"poweredOff,omitempty"`

	// Provider is passed to the provider of the machine. It may be an object of any kind.
	//
	// +askind:to=providerConfig
	Provider *runtime.RawExtension `json:"provider,omitempty"`
}

// Disk is one disk of a machine.
//
// +askind:absent:field=medium,reason="v1alpha1 does not distinguish media"
type Disk struct {
	// Name is unique among the disks of the machine.
	Name string `json:"name"`

	// Size is the capacity, as the text of a quantity.
	Size string `json:"size"`

	// Partitions divide the disk. Without partitions the disk is used as a whole.
	Partitions []Partition `json:"partitions,omitempty"`
}

// Partition is one part of a disk.
//
// +askind:absent:field=encrypted,reason="encryption came with v1"
type Partition struct {
	// Label is unique on the disk.
	Label string `json:"label"`

	// Size is the capacity, as the text of a quantity.
	Size string `json:"size"`

	// FS is the file system of the partition.
	//
	// +default="ext4"
	// +askind:to=fileSystem
	FS string `json:"fs,omitempty"`

	// Mount is the mount point. It is blank for a partition that is not mounted.
	//
	// +askind:to=mountPath
	Mount string `json:"mount,omitempty"`
}

// MachineStatus is the observed state of a machine.
//
// +askind:absent:field=observedGeneration,reason="v1alpha1 did not count generations"
type MachineStatus struct {
	// State is the state of the machine.
	//
	// +askind:to=phase
	State MachineState `json:"state,omitempty"`

	// Addresses are the addresses of the machine.
	Addresses []Address `json:"addresses,omitempty"`

	// LastBoot is the time of the last boot, in the form of RFC 3339.
	//
	// +askind:to=lastBootTime
	LastBoot string `json:"lastBoot,omitempty"`

	// Conditions are aspects of the machine, such as Ready.
	Conditions []MachineCondition `json:"conditions,omitempty"`
}

// MachineState is the state of a machine. In v1 it became the phase, with other values.
type MachineState string

// The states of a machine.
const (
	MachineOrdered  MachineState = "Ordered"
	MachineStarting MachineState = "Starting"
	MachineUp       MachineState = "Up"
	MachineDown     MachineState = "Down"
	MachineServiced MachineState = "Serviced"
	MachineBroken   MachineState = "Broken"
)

// Address is an address of a machine.
type Address struct {
	// IP is an IP address or, despite its name, a host name.
	//
	// +askind:to=address
	IP string `json:"ip"`

	// External states that it can be reached from outside of the zone.
	//
	// +askind:to=type
	External bool `json:"external,omitempty"`
}

// MachineCondition is one aspect of a machine.
//
// +askind:absent:field=observedGeneration,reason="v1alpha1 did not count generations"
type MachineCondition struct {
	// Type names the aspect.
	Type string `json:"type"`

	// Status is True, False or Unknown.
	Status string `json:"status"`

	// Since is the time of the last change of Status.
	//
	// +askind:to=lastTransitionTime
	Since metav1.Time `json:"since"`

	// Reason is a one-word reason for programs.
	Reason string `json:"reason,omitempty"`

	// Message is an explanation for people.
	Message string `json:"message,omitempty"`
}
