package v1

import (
	"github.com/askind/askind/meta/intstr"
	"github.com/askind/askind/meta/resource"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
)

// Machine is one computer of the fleet, real or virtual.
//
// +askind:kind:resource=machines,shortName=mc,categories=all
// +kubebuilder:storageversion
// +kubebuilder:subresource:status
// +kubebuilder:printcolumn:name="Zone",type=string,JSONPath=`.spec.zone`,description="The location of the machine."
// +kubebuilder:printcolumn:name="Cores",type=integer,JSONPath=`.spec.hardware.cores`,description="Number of processor cores."
// +kubebuilder:printcolumn:name="Memory",type=string,JSONPath=`.spec.hardware.memory`,description="Size of the main memory."
// +askind:column:name="Disk",type=string,func=totalDisk,reads=.spec.disks[*].size,description="Size of all disks together."
// +kubebuilder:printcolumn:name="Phase",type=string,JSONPath=`.status.phase`,description="The phase in the machine's lifecycle."
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`,description="Whether the machine accepts work."
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`,description="The time since the object was created."
// +kubebuilder:printcolumn:name="Pool",type=string,JSONPath=`.spec.poolName`,description="The pool that the machine belongs to.",priority=1
// +kubebuilder:printcolumn:name="Addresses",type=string,JSONPath=`.status.addresses[*].address`,description="The addresses of the machine.",priority=1
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

// MachineSpec is the desired state of a machine.
type MachineSpec struct {
	// PoolName is the [MachinePool] that the machine belongs to. It is blank for a machine without
	// a pool.
	PoolName string `json:"poolName,omitempty"`

	// Zone is the location of the machine.
	//
	// +k8s:required
	Zone string `json:"zone"`

	// Hardware describes the hardware of the machine.
	Hardware Hardware `json:"hardware"`

	// Asset is the inventory record of the machine. Virtual machines have none.
	Asset *Asset `json:"asset,omitempty"`

	// Boot is the source of the operating system.
	Boot BootSource `json:"boot"`

	// Disks are the disks in the order in which the machine sees them.
	Disks []Disk `json:"disks,omitempty"`

	// Reserved is the amount of each resource that is reserved for the system.
	Reserved map[string]resource.Quantity `json:"reserved,omitempty"`

	// KernelArguments are passed to the kernel at boot. A blank value passes the name alone.
	KernelArguments map[string]string `json:"kernelArguments,omitempty"`

	// HealthCheck describes how to check the health of the machine. Without it the machine counts
	// as healthy.
	HealthCheck *HealthCheck `json:"healthCheck,omitempty"`

	// DrainTimeout is the time limit for moving work off the machine before it is stopped, in whole
	// seconds.
	//
	// +default="5m0s"
	DrainTimeout *metav1.Duration `json:"drainTimeout,omitempty"`

	// PowerState states whether the machine should run.
	//
	// +default="On"
	PowerState PowerState `json:"powerState,omitempty"`

	// ProviderConfig is passed to the provider of the machine. It may be an object of any kind.
	ProviderConfig *runtime.RawExtension `json:"providerConfig,omitempty"`
}

// Hardware describes the hardware of a machine.
type Hardware struct {
	// Cores is the number of processor cores.
	//
	// +kubebuilder:validation:Minimum=1
	Cores int32 `json:"cores"`

	// Memory is the size of the main memory.
	Memory resource.Quantity `json:"memory"`

	// Architecture is the instruction set of the processor.
	//
	// +default="amd64"
	Architecture Architecture `json:"architecture,omitempty"`
}

// Architecture is an instruction set, with its name in Go.
//
// +enum
type Architecture string

// The architectures of the fleet.
const (
	ArchitectureAMD64 Architecture = "amd64"
	ArchitectureARM64 Architecture = "arm64"
)

// PowerState states whether a machine should run.
//
// +enum
type PowerState string

// The states of power.
const (
	PowerOn  PowerState = "On"
	PowerOff PowerState = "Off"
)

// Asset is the inventory record of a machine.
type Asset struct {
	// SerialNumber is the manufacturer's serial number.
	SerialNumber string `json:"serialNumber,omitempty"`

	// Model is the manufacturer's model name.
	Model string `json:"model,omitempty"`

	// Owner is the cost centre that paid for it.
	Owner string `json:"owner,omitempty"`

	// PurchasedOn is the date of purchase.
	PurchasedOn *metav1.Time `json:"purchasedOn,omitempty"`
}

// BootSource is the source of the operating system. It is a union: only the member that Type names
// is set.
type BootSource struct {
	// Type names the member that is set. If it is omitted and one member is set, that member is the
	// default.
	//
	// +optional
	Type BootType `json:"type,omitempty"`

	// Image boots from an image of the provider.
	Image *BootImage `json:"image,omitempty"`

	// Network boots over the network.
	Network *BootNetwork `json:"network,omitempty"`

	// Disk boots from one of the machine's disks.
	Disk *BootDisk `json:"disk,omitempty"`
}

// BootType names a member of [BootSource].
type BootType string

// The sources to boot from.
const (
	BootFromImage   BootType = "Image"
	BootFromNetwork BootType = "Network"
	BootFromDisk    BootType = "Disk"
)

// BootImage is an image of the provider.
type BootImage struct {
	// Name is the name of the image.
	//
	// +k8s:required
	Name string `json:"name"`

	// Checksum, if set, is the required checksum of the image: "sha256:" and hexadecimal digits.
	Checksum string `json:"checksum,omitempty"`
}

// BootNetwork is a boot server.
type BootNetwork struct {
	// URL is the address of the boot program.
	//
	// +k8s:required
	URL string `json:"url"`
}

// BootDisk is a disk to boot from.
type BootDisk struct {
	// Name is the name of one of the machine's disks.
	Name string `json:"name"`

	// Partition is the label of the partition. It is blank for the disk's own boot partition.
	Partition string `json:"partition,omitempty"`
}

// Disk is one disk of a machine.
type Disk struct {
	// Name is unique among the disks of the machine.
	Name string `json:"name"`

	// Size is the capacity.
	Size resource.Quantity `json:"size"`

	// Medium is the storage medium of the disk.
	//
	// +default="SSD"
	Medium DiskMedium `json:"medium,omitempty"`

	// Partitions divide the disk. Without partitions the disk is used as a whole.
	Partitions []Partition `json:"partitions,omitempty"`
}

// DiskMedium is the storage medium of a disk.
//
// +enum
type DiskMedium string

// The media of disks.
const (
	MediumSSD DiskMedium = "SSD"
	MediumHDD DiskMedium = "HDD"
)

// Partition is one part of a disk.
type Partition struct {
	// Label is unique on the disk.
	//
	// +k8s:required
	Label string `json:"label"`

	// Size is the capacity.
	Size resource.Quantity `json:"size"`

	// FileSystem is the file system of the partition.
	//
	// +default="ext4"
	FileSystem string `json:"fileSystem,omitempty"`

	// MountPath is the mount point. It is blank for a partition that is not mounted.
	MountPath string `json:"mountPath,omitempty"`

	// Encrypted states that the partition is encrypted with a key of the provider.
	Encrypted bool `json:"encrypted,omitempty"`
}

// HealthCheck checks the health of a machine over HTTP.
type HealthCheck struct {
	// Port is the number or the name of the port for health requests.
	Port intstr.IntOrString `json:"port"`

	// Path is the path of health requests.
	//
	// +default="/healthz"
	Path string `json:"path,omitempty"`

	// Interval is the time between requests, in whole seconds.
	//
	// +default="10s"
	Interval *metav1.Duration `json:"interval,omitempty"`

	// FailureThreshold is the number of consecutive failures after which the machine counts as
	// unhealthy.
	//
	// +kubebuilder:validation:Minimum=1
	// +default=3
	FailureThreshold *int32 `json:"failureThreshold,omitempty"`
}

// MachineStatus is the observed state of a machine.
type MachineStatus struct {
	// Phase is a one-word summary of the machine's lifecycle for people. Programs should use the
	// conditions.
	Phase MachinePhase `json:"phase,omitempty"`

	// Addresses are the addresses of the machine.
	Addresses []Address `json:"addresses,omitempty"`

	// LastBootTime is the time of the last boot.
	LastBootTime *metav1.Time `json:"lastBootTime,omitempty"`

	// Conditions are aspects of the machine, such as Ready.
	Conditions []metav1.Condition `json:"conditions,omitempty"`

	// ObservedGeneration is the generation of the machine that this status describes.
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
}

// MachinePhase is a phase in the lifecycle of a machine.
type MachinePhase string

// The phases of a machine.
const (
	MachinePending      MachinePhase = "Pending"
	MachineProvisioning MachinePhase = "Provisioning"
	MachineRunning      MachinePhase = "Running"
	MachineStopped      MachinePhase = "Stopped"
	MachineMaintenance  MachinePhase = "Maintenance"
	MachineFailed       MachinePhase = "Failed"
)

// MachineReady is the type of the condition whether a machine accepts work.
const MachineReady = "Ready"

// Address is an address of a machine.
type Address struct {
	// Type states from where the address can be reached.
	//
	// +default="Internal"
	Type AddressType `json:"type,omitempty"`

	// Address is an IP address or a host name.
	Address string `json:"address"`
}

// AddressType states from where an address can be reached.
type AddressType string

// The types of addresses.
const (
	AddressInternal AddressType = "Internal"
	AddressExternal AddressType = "External"
)
