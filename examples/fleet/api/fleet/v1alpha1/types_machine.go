package v1alpha1

import (
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
)

// Machine is one computer of the fleet.
//
// +askind:kind:resource=machines,shortName=mc,categories=all
// +kubebuilder:printcolumn:name="Zone",type=string,JSONPath=`.spec.zone`,description="Where the machine is."
// +kubebuilder:printcolumn:name="CPU",type=string,JSONPath=`.spec.cpu`,description="Number of processor cores."
// +kubebuilder:printcolumn:name="Memory",type=string,JSONPath=`.spec.memory`,description="Size of the main memory."
// +kubebuilder:printcolumn:name="State",type=string,JSONPath=`.status.state`,description="What the machine does."
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`,description="The time since the object was created."
type Machine struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec is what the machine should be.
	Spec MachineSpec `json:"spec"`

	// Status is what it was last seen to be.
	Status MachineStatus `json:"status,omitzero"`
}

// MachineList is a list of machines.
type MachineList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	// Items holds the machines.
	Items []Machine `json:"items"`
}

// MachineSpec is what a machine should be. At most one of Image, NetbootURL and BootDisk says where
// it boots from.
//
// +askind:absent:field=hardware.architecture,reason="all machines of v1alpha1 were amd64"
// +askind:absent:field=asset,reason="the books did not know the machines of v1alpha1"
// +askind:absent:field=boot.image.checksum,reason="v1alpha1 trusts the provider's images"
// +askind:absent:field=boot.disk.partition,reason="v1alpha1 leaves the choice of the partition to the disk"
// +askind:absent:field=healthCheck.interval,reason="v1alpha1 asks every ten seconds"
// +askind:absent:field=healthCheck.failureThreshold,reason="v1alpha1 asks three times"
type MachineSpec struct {
	// Pool is the pool that the machine belongs to. It is blank for a machine on its own.
	//
	// +askind:to=poolName
	Pool string `json:"pool,omitempty"`

	// Zone is where the machine is.
	Zone string `json:"zone"`

	// Rack is where in the zone it is.
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

	// Image is an image to boot from.
	Image string `json:"image,omitempty"`

	// NetbootURL is a boot program to boot from over the network.
	NetbootURL string `json:"netbootURL,omitempty"`

	// BootDisk is the name of one of the machine's disks to boot from.
	BootDisk string `json:"bootDisk,omitempty"`

	// Disks are the disks in the order in which the machine sees them.
	Disks []Disk `json:"disks,omitempty"`

	// Reserved is what of each resource is kept for the system itself, as the text of a quantity.
	Reserved map[string]string `json:"reserved,omitempty"`

	// KernelArgs are passed to the kernel at boot. A blank value passes the name alone.
	//
	// +askind:to=kernelArguments
	KernelArgs map[string]string `json:"kernelArgs,omitempty"`

	// HealthPort is the number or the name of the port to ask for the machine's health. Without it
	// the machine is trusted.
	//
	// +askind:to=healthCheck.port
	HealthPort string `json:"healthPort,omitempty"`

	// HealthPath is the path to ask for.
	//
	// +askind:to=healthCheck.path
	HealthPath string `json:"healthPath,omitempty"`

	// DrainTimeout is how long work may take to leave the machine before it is stopped, as "5m0s".
	//
	// +default="5m0s"
	DrainTimeout string `json:"drainTimeout,omitempty"`

	// PoweredOff says that the machine should not run.
	//
	// +askind:to=powerState
	PoweredOff bool `json:"poweredOff,omitempty"`

	// Provider is handed on to whoever provides the machine. It may be an object of any kind.
	//
	// +askind:to=providerConfig
	Provider *runtime.RawExtension `json:"provider,omitempty"`
}

// Disk is one disk of a machine.
//
// +askind:absent:field=medium,reason="nobody asked v1alpha1 what disks are made of"
type Disk struct {
	// Name is unique among the disks of the machine.
	Name string `json:"name"`

	// Size is the capacity, as the text of a quantity.
	Size string `json:"size"`

	// Partitions divide the disk. Without them it is used as a whole.
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

	// FS is what the partition is formatted with.
	//
	// +default="ext4"
	// +askind:to=fileSystem
	FS string `json:"fs,omitempty"`

	// Mount is where it is mounted. It is blank for a partition that is not.
	//
	// +askind:to=mountPath
	Mount string `json:"mount,omitempty"`
}

// MachineStatus is what a machine was last seen to be.
//
// +askind:absent:field=observedGeneration,reason="v1alpha1 did not count generations"
type MachineStatus struct {
	// State is what the machine does.
	//
	// +askind:to=phase
	State MachineState `json:"state,omitempty"`

	// Addresses are how the machine is reached.
	Addresses []Address `json:"addresses,omitempty"`

	// LastBoot is when the machine was started last, in the form of RFC 3339.
	//
	// +askind:to=lastBootTime
	LastBoot string `json:"lastBoot,omitempty"`

	// Conditions are aspects of the machine, such as Ready.
	Conditions []MachineCondition `json:"conditions,omitempty"`
}

// MachineState is what a machine does. In v1 it became the phase, with other words.
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

// Address is one way to reach a machine.
type Address struct {
	// IP is an IP address or, in spite of its name, a host name.
	//
	// +askind:to=address
	IP string `json:"ip"`

	// External says that it can be reached from outside of the zone.
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

	// Since is when Status last changed.
	//
	// +askind:to=lastTransitionTime
	Since metav1.Time `json:"since"`

	// Reason is one word for programs.
	Reason string `json:"reason,omitempty"`

	// Message is for people.
	Message string `json:"message,omitempty"`
}
