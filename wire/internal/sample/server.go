// Package sample has a message of the size and the shape of the objects in a cluster, with a field
// of every sort, and what is generated for it, for the tests of the packages that read and write
// bytes. It is not a kind, so that these tests need nothing above package wire.
//
// +askind:generate
// +k8s:deepcopy-gen=false
// +k8s:openapi-gen=false
package sample

import (
	"strconv"
	"strings"
)

// Server has nested messages, pointers, maps and lists.
//
// +askind:protobuf
type Server struct {
	// +askind:protobuf=false
	Kind string `json:"kind,omitempty"`
	// +askind:protobuf=false
	APIVersion string `json:"apiVersion,omitempty"`

	Metadata ServerMeta   `json:"metadata" protobuf:"bytes,1,opt,name=metadata"`
	Spec     ServerSpec   `json:"spec" protobuf:"bytes,2,opt,name=spec"`
	Status   ServerStatus `json:"status,omitzero" protobuf:"bytes,3,opt,name=status"`
}

// ServerMeta names a server. Its parent has a tag of two bytes in protobuf.
type ServerMeta struct {
	Name            string            `json:"name,omitempty" protobuf:"bytes,1,opt,name=name"`
	Namespace       string            `json:"namespace,omitempty" protobuf:"bytes,3,opt,name=namespace"`
	UID             string            `json:"uid,omitempty" protobuf:"bytes,5,opt,name=uid"`
	ResourceVersion string            `json:"resourceVersion,omitempty" protobuf:"bytes,6,opt,name=resourceVersion"`
	Generation      int64             `json:"generation,omitempty" protobuf:"varint,7,opt,name=generation"`
	Labels          map[string]string `json:"labels,omitempty" protobuf:"bytes,11,rep,name=labels"`
	Annotations     map[string]string `json:"annotations,omitempty" protobuf:"bytes,12,rep,name=annotations"`
	Finalizers      []string          `json:"finalizers,omitempty" protobuf:"bytes,14,rep,name=finalizers"`
	Parent          *ServerMeta       `json:"parent,omitempty" protobuf:"bytes,17,opt,name=parent"`
}

// ServerSpec has a list of each of the scalars.
type ServerSpec struct {
	Disks    []Disk             `json:"disks,omitempty" protobuf:"bytes,1,rep,name=disks"`
	Replicas *int32             `json:"replicas,omitempty" protobuf:"varint,2,opt,name=replicas"`
	Paused   bool               `json:"paused,omitempty" protobuf:"varint,3,opt,name=paused"`
	Weight   float64            `json:"weight,omitempty" protobuf:"fixed64,4,opt,name=weight"`
	Factor   float32            `json:"factor,omitempty" protobuf:"fixed32,5,opt,name=factor"`
	Limits   map[string]int64   `json:"limits,omitempty" protobuf:"bytes,6,rep,name=limits"`
	Slots    map[int32]Variable `json:"slots,omitempty" protobuf:"bytes,7,rep,name=slots"`
	Secret   []byte             `json:"secret,omitempty" protobuf:"bytes,8,opt,name=secret"`
	Ports    []int32            `json:"ports,omitempty" protobuf:"varint,9,rep,name=ports"`
	Sizes    []uint64           `json:"sizes,omitempty" protobuf:"varint,10,rep,name=sizes"`
	Flags    []bool             `json:"flags,omitempty" protobuf:"varint,11,rep,name=flags"`
	Weights  []float64          `json:"weights,omitempty" protobuf:"fixed64,12,rep,name=weights"`
	Factors  []float32          `json:"factors,omitempty" protobuf:"fixed32,13,rep,name=factors"`
	Deltas   []int64            `json:"deltas,omitempty" protobuf:"varint,14,rep,name=deltas"`
	Masks    []uint32           `json:"masks,omitempty" protobuf:"varint,15,rep,name=masks"`
	Count    uint32             `json:"count,omitempty" protobuf:"varint,100000,opt,name=count"`
	// +askind:protobuf=false
	Extra any `json:"extra,omitempty"`
}

// Disk is a part of a server with a list within the list.
type Disk struct {
	Name    string     `json:"name" protobuf:"bytes,1,opt,name=name"`
	Image   string     `json:"image,omitempty" protobuf:"bytes,2,opt,name=image"`
	Command []string   `json:"command,omitempty" protobuf:"bytes,3,rep,name=command"`
	Env     []Variable `json:"env,omitempty" protobuf:"bytes,4,rep,name=env"`
	SizeGiB int32      `json:"sizeGiB,omitempty" protobuf:"varint,5,opt,name=sizeGiB"`
}

// Variable is a small message that occurs many times.
type Variable struct {
	Name  string `json:"name" protobuf:"bytes,1,opt,name=name"`
	Value string `json:"value,omitempty" protobuf:"bytes,2,opt,name=value"`
}

// ServerStatus is what is seen of a server.
type ServerStatus struct {
	Phase      string      `json:"phase,omitempty" protobuf:"bytes,1,opt,name=phase"`
	Conditions []Condition `json:"conditions,omitempty" protobuf:"bytes,2,rep,name=conditions"`
}

// Condition is a message of texts.
type Condition struct {
	Type    string `json:"type" protobuf:"bytes,1,opt,name=type"`
	Status  string `json:"status" protobuf:"bytes,2,opt,name=status"`
	Reason  string `json:"reason,omitempty" protobuf:"bytes,3,opt,name=reason"`
	Message string `json:"message,omitempty" protobuf:"bytes,4,opt,name=message"`
}

// NewServer returns a server of some seven kilobytes of JSON, the same each time.
func NewServer() *Server {
	replicas := int32(3)
	m := &Server{
		Kind: "Machine", APIVersion: "fleet.example.com/v1",
		Metadata: ServerMeta{
			Name: "web-7d4b9c6f5d-x2x8p", Namespace: "production", UID: "7f3c2f0a-93a4-4b52-8a51-0d4d41a9f3c1",
			ResourceVersion: "83472910", Generation: 12,
			Labels: map[string]string{
				"app.kubernetes.io/name": "web", "app.kubernetes.io/instance": "web-eu",
				"app.kubernetes.io/version": "1.27.3",
				"pod-template-hash":         "7d4b9c6f5d", "topology.kubernetes.io/zone": "eu-central-1a",
			},
			Annotations: map[string]string{
				"prometheus.io/scrape": "true", "prometheus.io/port": "9090",
				"fleet.example.com/config": `{"threads":4,"mode":"fast","hosts":["a","b"]}`,
				"fleet.example.com/note":   "checked by the night shift, nothing unusual was found in the logs of the last week",
			},
			Finalizers: []string{"fleet.example.com/cleanup"},
		},
		Spec: ServerSpec{
			Replicas: &replicas, Weight: 0.75,
			Limits: map[string]int64{"cpu": 4, "memory": 8192, "storage": 100000},
			Secret: []byte("correct horse battery staple"),
		},
		Status: ServerStatus{Phase: "Running"},
	}
	for i := range 4 {
		n := strconv.Itoa(i)
		d := Disk{
			Name: "container-" + n, Image: "registry.example.com/team/web-frontend:v1.27." + n, SizeGiB: int32(10 * i),
			Command: []string{
				"/usr/bin/serve", "--listen=0.0.0.0:8080", "--log-level=info",
				"--config=/etc/web/config.yaml",
			},
		}
		for j := range 8 {
			k := strconv.Itoa(j)
			d.Env = append(d.Env, Variable{Name: "WEB_SETTING_" + k, Value: strings.Repeat("value-", j+1) + k})
		}
		m.Spec.Disks = append(m.Spec.Disks, d)
	}
	for _, t := range []string{"Initialized", "Ready", "ContainersReady", "Scheduled"} {
		m.Status.Conditions = append(m.Status.Conditions, Condition{
			Type: t, Status: "True", Reason: "AllChecksPassed", Message: "all of the checks that run on " + t +
				" have passed",
		})
	}
	return m
}
