package v1beta1

import (
	"github.com/askind/askind/meta/intstr"
	"github.com/askind/askind/meta/resource"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
)

// Machine is one computer of the fleet, real or virtual.
//
// +askind:kind:resource=machines,shortName=mc,categories=all
// +kubebuilder:subresource:status
// +kubebuilder:printcolumn:name="Zone",type=string,JSONPath=`.spec.zone`,description="Where the machine is."
// +kubebuilder:printcolumn:name="Cores",type=integer,JSONPath=`.spec.hardware.cores`,description="Number of processor cores."
// +kubebuilder:printcolumn:name="Memory",type=string,JSONPath=`.spec.hardware.memory`,description="Size of the main memory."
// +kubebuilder:printcolumn:name="Phase",type=string,JSONPath=`.status.phase`,description="Where the machine is in its life."
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`,description="Whether the machine takes work."
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`,description="The time since the object was created."
// +kubebuilder:printcolumn:name="Pool",type=string,JSONPath=`.spec.pool`,description="The pool that the machine belongs to.",priority=1
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

// MachineSpec is what a machine should be.
//
// +askind:absent:field=asset.model,reason="v1beta1 knows machines by their serial number alone"
// +askind:absent:field=asset.owner,reason="v1beta1 knows machines by their serial number alone"
// +askind:absent:field=asset.purchasedOn,reason="v1beta1 knows machines by their serial number alone"
type MachineSpec struct {
	// Pool is the pool that the machine belongs to. It is blank for a machine on its own.
	//
	// +askind:to=poolName
	Pool string `json:"pool,omitempty"`

	// Zone is where the machine is.
	Zone string `json:"zone"`

	// Hardware is what the machine is made of.
	Hardware Hardware `json:"hardware"`

	// SerialNumber is the maker's number of the machine. Virtual machines have none.
	//
	// +askind:to=asset.serialNumber
	SerialNumber string `json:"serialNumber,omitempty"`

	// FirmwareURL is where the firmware for the hardware comes from. Since v1 providers roll
	// firmware out by themselves.
	//
	// +askind:carry:guard=hardware.cores;hardware.memory
	FirmwareURL string `json:"firmwareURL,omitempty"`

	// BootSource says where the operating system comes from.
	//
	// +askind:to=boot
	BootSource BootSource `json:"bootSource"`

	// Disks are the disks in the order in which the machine sees them.
	Disks []Disk `json:"disks,omitempty"`

	// Reserved is what of each resource is kept for the system itself.
	Reserved map[string]resource.Quantity `json:"reserved,omitempty"`

	// KernelArgs are passed to the kernel at boot. A blank value passes the name alone.
	//
	// +askind:to=kernelArguments
	KernelArgs map[string]string `json:"kernelArgs,omitempty"`

	// HealthCheck says how to find out whether the machine works. Without it the machine is
	// trusted.
	HealthCheck *HealthCheck `json:"healthCheck,omitempty"`

	// DrainTimeoutSeconds is how long work may take to leave the machine before it is stopped.
	//
	// +default=300
	// +askind:to=drainTimeout
	DrainTimeoutSeconds *int64 `json:"drainTimeoutSeconds,omitempty"`

	// PowerState says whether the machine should run.
	//
	// +default="On"
	PowerState PowerState `json:"powerState,omitempty"`

	// ProviderConfig is handed on to whoever provides the machine. It may be an object of any kind.
	ProviderConfig *runtime.RawExtension `json:"providerConfig,omitempty"`
}

// Hardware is what a machine is made of.
type Hardware struct {
	// Cores is the number of processor cores.
	Cores int64 `json:"cores"`

	// Memory is the size of the main memory.
	Memory resource.Quantity `json:"memory"`

	// Architecture is the instruction set of the processor.
	//
	// +default="amd64"
	Architecture Architecture `json:"architecture,omitempty"`
}

// Architecture is an instruction set, by the name that Go has for it.
type Architecture string

// The architectures of the fleet.
const (
	ArchitectureAMD64 Architecture = "amd64"
	ArchitectureARM64 Architecture = "arm64"
)

// PowerState says whether a machine should run.
type PowerState string

// The states of power.
const (
	PowerOn  PowerState = "On"
	PowerOff PowerState = "Off"
)

// BootSource says where the operating system comes from. It is a union: of the members behind Type
// the one that Type names is set, and no other.
//
// +askind:absent:field=disk.partition,reason="v1beta1 leaves the choice of the partition to the disk"
type BootSource struct {
	// Type names the member that is set. If it is left out and one member is set, that one is
	// meant.
	Type BootType `json:"type"`

	// Image boots from an image that the provider knows.
	Image *BootImage `json:"image,omitempty"`

	// Network boots over the network.
	Network *BootNetwork `json:"network,omitempty"`

	// Disk is the name of one of the machine's disks to boot from.
	//
	// +askind:to=disk.name
	Disk string `json:"disk,omitempty"`
}

// BootType names a member of [BootSource].
type BootType string

// The sources to boot from.
const (
	BootFromImage   BootType = "Image"
	BootFromNetwork BootType = "Network"
	BootFromDisk    BootType = "Disk"
)

// BootImage is an image that the provider knows.
//
// +askind:absent:field=checksum,reason="v1beta1 trusts the provider's images"
type BootImage struct {
	// Name is the name of the image.
	Name string `json:"name"`
}

// BootNetwork is a boot server.
type BootNetwork struct {
	// URL is where the boot program is.
	URL string `json:"url"`
}

// Disk is one disk of a machine.
type Disk struct {
	// Name is unique among the disks of the machine.
	Name string `json:"name"`

	// Size is the capacity.
	Size resource.Quantity `json:"size"`

	// Medium is what the disk is made of.
	//
	// +default="SSD"
	Medium DiskMedium `json:"medium,omitempty"`

	// Partitions divide the disk. Without them it is used as a whole.
	Partitions []Partition `json:"partitions,omitempty"`
}

// DiskMedium is what a disk is made of.
type DiskMedium string

// The media of disks.
const (
	MediumSSD DiskMedium = "SSD"
	MediumHDD DiskMedium = "HDD"
)

// Partition is one part of a disk.
//
// +askind:absent:field=encrypted,reason="encryption came with v1"
type Partition struct {
	// Label is unique on the disk.
	Label string `json:"label"`

	// Size is the capacity.
	Size resource.Quantity `json:"size"`

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

// HealthCheck asks a machine over HTTP how it is.
type HealthCheck struct {
	// Port is the number or the name of the port to ask at.
	Port intstr.IntOrString `json:"port"`

	// Path is the path to ask for.
	//
	// +default="/healthz"
	Path string `json:"path,omitempty"`

	// IntervalSeconds is the time between two questions.
	//
	// +default=10
	// +askind:to=interval
	IntervalSeconds *int64 `json:"intervalSeconds,omitempty"`

	// FailureThreshold is how many answers in a row must be bad for the machine to count as ill.
	//
	// +default=3
	FailureThreshold *int32 `json:"failureThreshold,omitempty"`
}

// MachineStatus is what a machine was last seen to be.
type MachineStatus struct {
	// Phase is where the machine is in its life, in one word for people. Programs look at the
	// conditions.
	Phase MachinePhase `json:"phase,omitempty"`

	// Addresses are how the machine is reached.
	Addresses []Address `json:"addresses,omitempty"`

	// LastBoot is when the machine was started last.
	//
	// +askind:to=lastBootTime
	LastBoot *metav1.Time `json:"lastBoot,omitempty"`

	// Conditions are aspects of the machine, such as Ready.
	Conditions []metav1.Condition `json:"conditions,omitempty"`

	// ObservedGeneration is the generation of the machine that this status is about.
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
}

// MachinePhase is where a machine is in its life.
//
// +askind:absent:field=Maintenance,reason="clients of v1beta1 show the phase and do not act on it, so a new one is passed on as it is"
type MachinePhase string

// The phases of a machine.
const (
	MachinePending      MachinePhase = "Pending"
	MachineProvisioning MachinePhase = "Provisioning"
	MachineRunning      MachinePhase = "Running"
	MachineStopped      MachinePhase = "Stopped"
	MachineFailed       MachinePhase = "Failed"
)

// Address is one way to reach a machine.
type Address struct {
	// Type says from where it can be reached.
	//
	// +default="Internal"
	Type AddressType `json:"type,omitempty"`

	// Address is an IP address or a host name.
	Address string `json:"address"`
}

// AddressType says from where an address can be reached.
type AddressType string

// The types of addresses.
const (
	AddressInternal AddressType = "Internal"
	AddressExternal AddressType = "External"
)
