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
// +kubebuilder:printcolumn:name="Zone",type=string,JSONPath=`.spec.zone`,description="The location of the machine."
// +kubebuilder:printcolumn:name="Cores",type=integer,JSONPath=`.spec.hardware.cores`,description="Number of processor cores."
// +kubebuilder:printcolumn:name="Memory",type=string,JSONPath=`.spec.hardware.memory`,description="Size of the main memory."
// +kubebuilder:printcolumn:name="Phase",type=string,JSONPath=`.status.phase`,description="The phase in the machine's lifecycle."
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`,description="Whether the machine accepts work."
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`,description="The time since the object was created."
// +kubebuilder:printcolumn:name="Pool",type=string,JSONPath=`.spec.pool`,description="The pool that the machine belongs to.",priority=1
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
//
// +askind:absent:field=asset.model,reason="v1beta1 has only the serial number"
// +askind:absent:field=asset.owner,reason="v1beta1 has only the serial number"
// +askind:absent:field=asset.purchasedOn,reason="v1beta1 has only the serial number"
type MachineSpec struct {
	// Pool is the pool that the machine belongs to. It is blank for a machine without a pool.
	//
	// +askind:to=poolName
	Pool string `json:"pool,omitempty"`

	// Zone is the location of the machine.
	Zone string `json:"zone"`

	// Hardware describes the hardware of the machine.
	Hardware Hardware `json:"hardware"`

	// SerialNumber is the manufacturer's serial number. Virtual machines have none.
	//
	// +askind:to=asset.serialNumber
	SerialNumber string `json:"serialNumber,omitempty"`

	// FirmwareURL is the address of the firmware for the hardware. Since v1, providers install
	// firmware themselves.
	//
	// +askind:carry:guard=hardware.cores;hardware.memory
	FirmwareURL string `json:"firmwareURL,omitempty"`

	// BootSource is the source of the operating system.
	//
	// +askind:to=boot
	BootSource BootSource `json:"bootSource"`

	// Disks are the disks in the order in which the machine sees them.
	Disks []Disk `json:"disks,omitempty"`

	// Reserved is the amount of each resource that is reserved for the system.
	Reserved map[string]resource.Quantity `json:"reserved,omitempty"`

	// KernelArgs are passed to the kernel at boot. A blank value passes the name alone.
	//
	// +askind:to=kernelArguments
	KernelArgs map[string]string `json:"kernelArgs,omitempty"`

	// HealthCheck describes how to check the health of the machine. Without it the machine counts
	// as healthy.
	HealthCheck *HealthCheck `json:"healthCheck,omitempty"`

	// DrainTimeoutSeconds is the time limit for moving work off the machine before it is stopped.
	//
	// +default=300
	// +askind:to=drainTimeout
	DrainTimeoutSeconds *int64 `json:"drainTimeoutSeconds,omitempty"`

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
	Cores int64 `json:"cores"`

	// Memory is the size of the main memory.
	Memory resource.Quantity `json:"memory"`

	// Architecture is the instruction set of the processor.
	//
	// +default="amd64"
	Architecture Architecture `json:"architecture,omitempty"`
}

// Architecture is an instruction set, with its name in Go.
type Architecture string

// The architectures of the fleet.
const (
	ArchitectureAMD64 Architecture = "amd64"
	ArchitectureARM64 Architecture = "arm64"
)

// PowerState states whether a machine should run.
type PowerState string

// The states of power.
const (
	PowerOn  PowerState = "On"
	PowerOff PowerState = "Off"
)

// BootSource is the source of the operating system. It is a union: only the member that Type names
// is set.
//
// +askind:absent:field=disk.partition,reason="v1beta1 leaves the choice of the partition to the disk"
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

// BootImage is an image of the provider.
//
// +askind:absent:field=checksum,reason="v1beta1 trusts the provider's images"
type BootImage struct {
	// Name is the name of the image.
	Name string `json:"name"`
}

// BootNetwork is a boot server.
type BootNetwork struct {
	// URL is the address of the boot program.
	URL string `json:"url"`
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

// HealthCheck checks the health of a machine over HTTP.
type HealthCheck struct {
	// Port is the number or the name of the port for health requests.
	Port intstr.IntOrString `json:"port"`

	// Path is the path of health requests.
	//
	// +default="/healthz"
	Path string `json:"path,omitempty"`

	// IntervalSeconds is the time between requests.
	//
	// +default=10
	// +askind:to=interval
	IntervalSeconds *int64 `json:"intervalSeconds,omitempty"`

	// FailureThreshold is the number of consecutive failures after which the machine counts as
	// unhealthy.
	//
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

	// LastBoot is the time of the last boot.
	//
	// +askind:to=lastBootTime
	LastBoot *metav1.Time `json:"lastBoot,omitempty"`

	// Conditions are aspects of the machine, such as Ready.
	Conditions []metav1.Condition `json:"conditions,omitempty"`

	// ObservedGeneration is the generation of the machine that this status describes.
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
}

// MachinePhase is a phase in the lifecycle of a machine.
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
