package v1

import (
	"github.com/askind/askind/meta/resource"
	metav1 "github.com/askind/askind/meta/v1"
)

// Machine is a machine as an asset.
//
// +askind:kind:resource=machines,categories=all
// +askind:equivalent=github.com/askind/askind/examples/fleet/api/fleet/v1.Machine
// +askind:absent:field=status,reason="the inventory does not watch machines"
// +kubebuilder:printcolumn:name="Serial",type=string,JSONPath=`.spec.serialNumber`,description="The manufacturer's serial number."
// +kubebuilder:printcolumn:name="Model",type=string,JSONPath=`.spec.model`,description="The manufacturer's model name."
// +kubebuilder:printcolumn:name="Site",type=string,JSONPath=`.spec.site`,description="The site of the machine."
// +kubebuilder:printcolumn:name="Owner",type=string,JSONPath=`.spec.owner`,description="The cost centre that paid for it."
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`,description="The time since the object was created."
// +kubebuilder:printcolumn:name="Purchased",type=date,JSONPath=`.spec.purchasedOn`,description="The time since the purchase.",priority=1
type Machine struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec is the inventory record.
	Spec AssetSpec `json:"spec"`

	// Audit is the last audit.
	//
	// +askind:drop="audits stay in the inventory"
	Audit *Audit `json:"audit,omitempty"`
}

// MachineList is a list of machines.
type MachineList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	// Items holds the machines.
	Items []Machine `json:"items"`
}

// AssetSpec is the inventory record of a machine.
//
// +askind:absent:field=poolName,reason="the inventory does not know what machines are used for"
// +askind:absent:field=hardware.architecture,reason="the model determines it"
// +askind:absent:field=boot,reason="the inventory does not know what runs on machines"
// +askind:absent:field=disks,reason="disks are separate assets"
// +askind:absent:field=reserved,reason="the inventory does not know what runs on machines"
// +askind:absent:field=kernelArguments,reason="the inventory does not know what runs on machines"
// +askind:absent:field=healthCheck,reason="the inventory does not watch machines"
// +askind:absent:field=drainTimeout,reason="the inventory does not watch machines"
// +askind:absent:field=powerState,reason="the inventory does not watch machines"
// +askind:absent:field=providerConfig,reason="the inventory does not use providers"
type AssetSpec struct {
	// SerialNumber is the manufacturer's serial number.
	//
	// +askind:to=asset.serialNumber
	SerialNumber string `json:"serialNumber,omitempty"`

	// Model is the manufacturer's model name.
	//
	// +askind:to=asset.model
	Model string `json:"model,omitempty"`

	// Owner is the cost centre that paid for it.
	//
	// +askind:to=asset.owner
	Owner string `json:"owner,omitempty"`

	// PurchasedOn is the date of purchase.
	//
	// +askind:to=asset.purchasedOn
	PurchasedOn *metav1.Time `json:"purchasedOn,omitempty"`

	// Site is the name of the [Site] of the machine.
	//
	// +askind:to=zone
	Site string `json:"site"`

	// Cores is the number of processor cores.
	//
	// +askind:to=hardware.cores
	Cores int32 `json:"cores"`

	// Memory is the size of the main memory.
	//
	// +askind:to=hardware.memory
	Memory resource.Quantity `json:"memory"`

	// WarrantyEnds is the end of the warranty.
	//
	// +askind:drop="the fleet uses machines until they break"
	WarrantyEnds *metav1.Time `json:"warrantyEnds,omitempty"`
}

// Audit is an audit of a machine.
type Audit struct {
	// Date is the date of the audit.
	Date metav1.Time `json:"date"`

	// Auditor is the person who did it.
	Auditor string `json:"auditor,omitempty"`
}

// Site is a location of machines. Sites are cluster-scoped.
//
// +askind:kind:resource=sites,scope=Cluster
// +kubebuilder:printcolumn:name="Address",type=string,JSONPath=`.spec.address`,description="The postal address."
// +kubebuilder:printcolumn:name="Floors",type=integer,JSONPath=`.spec.floors.length()`,description="Number of floors with machines."
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`,description="The time since the object was created."
type Site struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec describes the site.
	Spec SiteSpec `json:"spec"`
}

// SiteList is a list of sites.
type SiteList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	// Items holds the sites.
	Items []Site `json:"items"`
}

// SiteSpec describes a site.
type SiteSpec struct {
	// Address is the postal address.
	Address string `json:"address"`

	// Floors are the floors with machines, and the power supply of each.
	Floors map[string]resource.Quantity `json:"floors,omitempty"`
}
