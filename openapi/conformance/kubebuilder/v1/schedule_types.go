package v1

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// ScheduleSpec says what is backed up, when, and where it goes.
//
// +kubebuilder:validation:XValidation:rule="!has(self.deadline) || self.keep > 1",message="a deadline needs a second backup"
// +askind:cel=function
type ScheduleSpec struct {
	// Cron is when a backup begins.
	//
	// +kubebuilder:validation:Required
	// +kubebuilder:validation:MinLength=9
	// +kubebuilder:validation:MaxLength=64
	// +kubebuilder:example="0 3 * * *"
	// +kubebuilder:title=Schedule
	Cron string `json:"cron"`

	// Owner is told when a backup fails.
	//
	// +kubebuilder:validation:Optional
	// +kubebuilder:validation:Format=email
	Owner string `json:"owner,omitempty"`

	// Prefix begins the names of backups.
	//
	// +kubebuilder:validation:Pattern=`^[a-z][a-z0-9-]*$`
	// +kubebuilder:validation:MaxLength=20
	// +kubebuilder:default=backup
	Prefix string `json:"prefix,omitempty"`

	// Concurrency says what happens when the last backup still runs.
	//
	// +optional
	// +kubebuilder:default:=Forbid
	Concurrency ConcurrencyPolicy `json:"concurrency,omitempty"`

	// Suspend stops new backups.
	//
	// +optional
	// +nullable
	Suspend *bool `json:"suspend,omitempty"`

	// Keep is how many backups are kept.
	//
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=100
	// +kubebuilder:default=3
	Keep int32 `json:"keep,omitempty"`

	// Deadline is how many seconds late a backup may begin.
	//
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:ExclusiveMinimum=true
	// +kubebuilder:validation:MultipleOf=60
	// +optional
	Deadline *int64 `json:"deadline,omitempty"`

	// Workers is how many volumes are read at once.
	//
	// +kubebuilder:validation:Minimum=0
	// +optional
	Workers *int32 `json:"workers,omitempty"`

	// Volumes are what is backed up.
	//
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=8
	Volumes []Volume `json:"volumes"`

	// Exclude are paths that are left out.
	//
	// +listType=set
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:Pattern=`^/`
	// +kubebuilder:validation:MaxItems=32
	// +optional
	Exclude []string `json:"exclude,omitempty"`

	// Labels are put on backups.
	//
	// +mapType=granular
	// +kubebuilder:validation:MaxProperties=4
	// +optional
	Labels map[string]string `json:"labels,omitempty"`

	// Target is where backups go.
	Target Target `json:"target"`

	// Limit is the size at which a backup is given up, as a quantity or a number of bytes.
	//
	// +optional
	Limit *resource.Quantity `json:"limit,omitempty"`

	// Rate is how much of the network a backup may use: megabytes or a percentage.
	//
	// +kubebuilder:validation:XIntOrString
	// +optional
	Rate *intstr.IntOrString `json:"rate,omitempty"`

	// Selector chooses the pods whose volumes are backed up.
	//
	// +optional
	Selector *metav1.LabelSelector `json:"selector,omitempty"`

	// Credentials names the secret with the password of the target.
	//
	// +optional
	// +structType=atomic
	Credentials *corev1.LocalObjectReference `json:"credentials,omitempty"`

	// Job is a template that is created for every backup.
	//
	// +kubebuilder:validation:EmbeddedResource
	// +kubebuilder:pruning:PreserveUnknownFields
	// +optional
	Job *runtime.RawExtension `json:"job,omitempty"`

	// Options are handed to the driver.
	//
	// +kubebuilder:validation:Type=object
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:pruning:PreserveUnknownFields
	// +optional
	Options *runtime.RawExtension `json:"options,omitempty"`
}

// ConcurrencyPolicy says what happens when a backup is due while one runs.
//
// +kubebuilder:validation:Enum=Allow;Forbid;Replace
type ConcurrencyPolicy string

// The policies.
const (
	AllowConcurrent   ConcurrencyPolicy = "Allow"
	ForbidConcurrent  ConcurrencyPolicy = "Forbid"
	ReplaceConcurrent ConcurrencyPolicy = "Replace"
)

// Volume is a volume to back up.
type Volume struct {
	// Name is that of the claim.
	//
	// +kubebuilder:validation:MaxLength=63
	Name string `json:"name"`

	// Paths are what is backed up of it; all of it by default.
	//
	// +kubebuilder:validation:UniqueItems=false
	// +listType=atomic
	// +optional
	Paths []string `json:"paths,omitempty"`
}

// Target is one place for backups.
//
// +kubebuilder:validation:MinProperties=1
// +kubebuilder:validation:MaxProperties=1
type Target struct {
	// Bucket is one of an object store.
	//
	// +optional
	Bucket *Bucket `json:"bucket,omitempty"`

	// Directory is a path on a network file system.
	//
	// +kubebuilder:validation:MinLength=1
	// +optional
	Directory string `json:"directory,omitempty"`
}

// Bucket is a bucket of an object store.
type Bucket struct {
	// URL is where it is.
	//
	// +kubebuilder:validation:Format=uri
	URL string `json:"url"`
}

// ScheduleStatus is what has been seen.
type ScheduleStatus struct {
	// Workers is how many volumes are being read.
	//
	// +optional
	Workers int32 `json:"workers,omitempty"`

	// Selector is that of the pods that work.
	//
	// +optional
	Selector string `json:"selector,omitempty"`

	// Last is when the last backup was complete.
	//
	// +optional
	Last *metav1.Time `json:"last,omitempty"`

	// Conditions say how it goes.
	//
	// +listType=map
	// +listMapKey=type
	// +optional
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// Schedule makes backups of volumes again and again.
//
// +kubebuilder:object:root=true
// +kubebuilder:storageversion
// +kubebuilder:subresource:status
// +kubebuilder:subresource:scale:specpath=.spec.workers,statuspath=.status.workers,selectorpath=.status.selector
// +kubebuilder:resource:path=schedules,singular=schedule,shortName=sched;sc,categories=all;backup,scope=Namespaced
// +kubebuilder:printcolumn:name="Cron",type=string,JSONPath=`.spec.cron`,description="When it begins"
// +kubebuilder:printcolumn:name="Keep",type=integer,JSONPath=`.spec.keep`,priority=1
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="Last",type=date,JSONPath=`.status.last`
// +kubebuilder:selectablefield:JSONPath=`.spec.prefix`
// +kubebuilder:metadata:labels="app.kubernetes.io/part-of=backup"
// +kubebuilder:metadata:annotations="docs.example.org/page=schedules"
// +kubebuilder:validation:XValidation:rule="size(self.metadata.name) <= 40",message="names of backups are longer than their schedule's"
// +askind:cel=crd
type Schedule struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   ScheduleSpec   `json:"spec,omitempty"`
	Status ScheduleStatus `json:"status,omitempty"`
}

// ScheduleList is a list of schedules.
//
// +kubebuilder:object:root=true
type ScheduleList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Schedule `json:"items"`
}
