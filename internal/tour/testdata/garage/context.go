// Package garage has what snippets of the documentation name and do not declare. What the snippets
// of one package or page name is in a file of its name, and takes precedence.
package garage

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"net/http"
	"testing"

	"example.com/garage/v1"
	"github.com/askind/askind/client"
	"github.com/askind/askind/conversion"
	"github.com/askind/askind/meta/dynamic"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer"
	"github.com/askind/askind/serializer/format"
	"github.com/askind/askind/server"
	"github.com/askind/askind/store"
)

var (
	body, data, document []byte
	b                    *runtime.Builder
	car                  *v1.Car
	cars                 map[string]*v1.Car
	ctx                  context.Context
	db, engine, inner    store.Engine
	definition           dynamic.Definition
	err                  error
	eventURLs            []string
	f, factory           *serializer.Factory
	formats              []*format.Format
	hostname, token      string
	kind                 *runtime.Kind
	m                    *metav1.ObjectMeta
	mux                  *http.ServeMux
	obj                  runtime.Object
	open                 func(t testing.TB, dir string) store.Engine
	proxyCertificate     *tls.Certificate
	r                    *http.Request
	record               *string
	rep                  *serializer.Representation
	resource             schema.GroupResource
	response             *http.Response
	roots                *x509.CertPool
	s                    *conversion.Scope
	scheme               *runtime.Scheme
	secret, old          []byte
	servers              map[string]*server.Server
	srv                  *server.Server
	st                   *store.Store
	t                    *testing.T
	w                    http.ResponseWriter
)

// Types of a version, and their functions.
type (
	Container struct{}
	Disk      struct{ Name string }
	Machine   struct {
		metav1.TypeMeta
		metav1.ObjectMeta
		Region string
		Spec   MachineSpec
	}
	MachineSpec struct {
		Disks    []Disk
		Labels   map[string]string
		Network  Network
		Replicas int32
	}
	MachineStatus struct{}
	Manifest      struct{ Boxes int }
	Network       struct{}
	Note          struct {
		metav1.TypeMeta
		metav1.ObjectMeta
	}
	Pool     struct{}
	Port     struct{}
	Provider interface{ Region() string }
	Widget   struct {
		metav1.TypeMeta
		metav1.ObjectMeta
	}
)

var GroupVersion schema.GroupVersion

// The fields of a conversion.
var (
	in struct {
		Replicas int64
		Spec     Disk
	}
	out struct {
		Ports    []Port
		Replicas int32
		Spec     Disk
	}
)

func check(error)
func convertSpec(in, out *Disk) error

var _ client.Client
