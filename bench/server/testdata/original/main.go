// Command original is k8s.io/sample-apiserver with etcd in the same process, or
// k8s.io/apiextensions-apiserver with the argument crds. They are what servers made with this
// module are compared with: everybody may do everything, there is no cluster beside them, and their
// handlers are served over plain HTTP, so that all are asked in the same way.
//
// With the argument proxied, sample-apiserver serves HTTPS with the certificates in a directory,
// and believes the headers about users of a proxy with a certificate for the name "front". Users
// who are not authenticated may do nothing, and the user "mallory" may only read.
//
//	original ADDRESS
//	original ADDRESS crds
//	original ADDRESS proxied DIRECTORY
package main

import (
	"context"
	"encoding/json"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"

	"go.etcd.io/etcd/server/v3/embed"
	extensionsapiserver "k8s.io/apiextensions-apiserver/pkg/apiserver"
	extensions "k8s.io/apiextensions-apiserver/pkg/cmd/server/options"
	generatedopenapi "k8s.io/apiextensions-apiserver/pkg/generated/openapi"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apiserver/pkg/authentication/request/anonymous"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	"k8s.io/apiserver/pkg/authorization/authorizerfactory"
	openapinamer "k8s.io/apiserver/pkg/endpoints/openapi"
	genericapiserver "k8s.io/apiserver/pkg/server"
	genericoptions "k8s.io/apiserver/pkg/server/options"
	"k8s.io/apiserver/pkg/util/openapi"
	basecompatibility "k8s.io/component-base/compatibility"
	"k8s.io/sample-apiserver/pkg/cmd/server"
)

// kubeconfig names a cluster that is not there. The options demand one for the admission plugins of
// a cluster, which are switched off.
const kubeconfig = `{"apiVersion":"v1","kind":"Config","current-context":"none",
	"contexts":[{"name":"none","context":{"cluster":"none"}}],
	"clusters":[{"name":"none","cluster":{"server":"http://127.0.0.1:1"}}]}`

func main() {
	dir, err := os.MkdirTemp("", "original")
	check(err)
	defer os.RemoveAll(dir)
	ctx := genericapiserver.SetupSignalContext()
	check(run(ctx, dir, os.Args[1]))
}

func run(ctx context.Context, dir, address string) error {
	endpoint, stop, err := startEtcd(dir)
	if err != nil {
		return err
	}
	defer stop()
	mode := append(os.Args, "plain")[2]
	create := newWardle
	if mode == "crds" {
		create = newExtensions
	}
	apiserver, err := create(dir, endpoint)
	if err != nil {
		return err
	}
	prepared := apiserver.PrepareRun()
	if mode == "proxied" {
		return prepared.RunWithContext(ctx)
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	handler := http.Handler(apiserver.Handler)
	if mode == "crds" {
		handler = withIndex(handler)
	}
	go func() { log.Print(http.Serve(l, handler)) }()
	return prepared.RunWithContext(ctx)
}

// newWardle returns sample-apiserver.
func newWardle(dir, etcd string) (*genericapiserver.GenericAPIServer, error) {
	o := server.NewWardleServerOptions(os.Stdout, os.Stderr)
	server.NewCommandStartWardleServer(context.Background(), o, false) // registers the versions
	config, err := configure(o, o.ComponentGlobalsRegistry, o.RecommendedOptions, dir, etcd)
	if err != nil {
		return nil, err
	}
	if len(os.Args) > 3 {
		config.GenericConfig.Authorization.Authorizer = authorizer.AuthorizerFunc(allowProxied)
	} else {
		allowAll(&config.GenericConfig.Config)
	}
	wardle, err := config.Complete().New()
	if err != nil {
		return nil, err
	}
	apiserver := wardle.GenericAPIServer
	apiserver.AddPostStartHookOrDie("start-sample-server-informers", func(c genericapiserver.PostStartHookContext) error {
		o.SharedInformerFactory.Start(c.Done())
		return nil
	})
	return apiserver, nil
}

// options are the options of a server, which make its configuration.
type options[Config any] interface {
	Complete() error
	Config() (Config, error)
}

// configure completes the options of a server that keeps its objects in etcd.
func configure[Config any](o options[Config], registry basecompatibility.ComponentGlobalsRegistry,
	recommended *genericoptions.RecommendedOptions, dir, etcd string,
) (config Config, err error) {
	if err := registry.Set(); err != nil {
		return config, err
	}
	if err := withoutCluster(recommended, dir, etcd); err != nil {
		return config, err
	}
	if err := o.Complete(); err != nil {
		return config, err
	}
	return o.Config()
}

// newExtensions returns apiextensions-apiserver, which serves CustomResourceDefinitions and what
// they define.
func newExtensions(dir, etcd string) (*genericapiserver.GenericAPIServer, error) {
	o := extensions.NewCustomResourceDefinitionsServerOptions(os.Stdout, os.Stderr)
	config, err := configure(o, o.ServerRunOptions.ComponentGlobalsRegistry, o.RecommendedOptions, dir, etcd)
	if err != nil {
		return nil, err
	}
	allowAll(&config.GenericConfig.Config)
	definitions := openapi.GetOpenAPIDefinitionsWithoutDisabledFeatures(generatedopenapi.GetOpenAPIDefinitions)
	config.GenericConfig.OpenAPIConfig = genericapiserver.DefaultOpenAPIConfig(definitions,
		openapinamer.NewDefinitionNamer(extensionsapiserver.Scheme))
	s, err := config.Complete().New(genericapiserver.NewEmptyDelegate())
	if err != nil {
		return nil, err
	}
	return s.GenericAPIServer, nil
}

// withIndex adds the list of groups, which another program of a cluster serves.
func withIndex(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/apis" {
			h.ServeHTTP(w, r)
			return
		}
		list := metav1.APIGroupList{TypeMeta: metav1.TypeMeta{Kind: "APIGroupList", APIVersion: "v1"}}
		for _, name := range []string{"apiextensions.k8s.io", "backup.example.org"} {
			answer := httptest.NewRecorder()
			h.ServeHTTP(answer, httptest.NewRequest("GET", "/apis/"+name, nil))
			var group metav1.APIGroup
			if answer.Code == http.StatusOK && json.Unmarshal(answer.Body.Bytes(), &group) == nil {
				list.Groups = append(list.Groups, group)
			}
		}
		w.Header().Set("Content-Type", "application/json")
		json.NewEncoder(w).Encode(list)
	})
}

func allowAll(config *genericapiserver.Config) {
	config.Authentication.Authenticator = anonymous.NewAuthenticator(nil)
	config.Authorization.Authorizer = authorizerfactory.NewAlwaysAllowAuthorizer()
}

// allowProxied lets authenticated users do everything, but mallory only read.
func allowProxied(_ context.Context, a authorizer.Attributes) (authorizer.Decision, string, error) {
	known := slices.Contains(a.GetUser().GetGroups(), user.AllAuthenticated)
	if known && (a.IsReadOnly() || a.GetUser().GetName() != "mallory") {
		return authorizer.DecisionAllow, "", nil
	}
	return authorizer.DecisionDeny, "", nil
}

// behindProxy makes a server believe the headers of a proxy, and serve HTTPS at an address, with
// the certificates in a directory.
func behindProxy(r *genericoptions.RecommendedOptions, address, dir string) error {
	r.SecureServing.ServerCert.CertKey = genericoptions.CertKey{
		CertFile: filepath.Join(dir, "serving.pem"), KeyFile: filepath.Join(dir, "serving.key"),
	}
	r.Authentication = genericoptions.NewDelegatingAuthenticationOptions()
	r.Authentication.RemoteKubeConfigFileOptional, r.Authentication.SkipInClusterLookup = true, true
	r.Authentication.RequestHeader.ClientCAFile = filepath.Join(dir, "proxies.pem")
	r.Authentication.RequestHeader.AllowedNames = []string{"front"}
	l, err := net.Listen("tcp", address)
	r.SecureServing.Listener = l
	return err
}

// withoutCluster switches off what needs one.
func withoutCluster(r *genericoptions.RecommendedOptions, dir, etcd string) error {
	file := filepath.Join(dir, "kubeconfig")
	if err := os.WriteFile(file, []byte(kubeconfig), 0o600); err != nil {
		return err
	}
	r.Etcd.StorageConfig.Transport.ServerList = []string{etcd}
	r.SecureServing.ServerCert.CertDirectory = dir
	r.SecureServing.BindAddress, r.SecureServing.BindPort = net.IPv4(127, 0, 0, 1), 0
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	r.SecureServing.Listener = l
	r.CoreAPI.CoreAPIKubeconfigPath = file
	r.Authentication, r.Authorization = nil, nil
	r.Features.EnablePriorityAndFairness = false // its configuration is in the cluster
	r.Admission.DisablePlugins = []string{
		"NamespaceLifecycle", "MutatingAdmissionPolicy", "MutatingAdmissionWebhook", "ValidatingAdmissionPolicy",
		"ValidatingAdmissionWebhook",
	}
	if len(os.Args) > 3 {
		l.Close()
		return behindProxy(r, os.Args[1], os.Args[3])
	}
	return nil
}

// startEtcd returns where etcd is reached, and what stops it.
func startEtcd(dir string) (endpoint string, stop func(), err error) {
	c := embed.NewConfig()
	c.Dir, c.LogLevel = filepath.Join(dir, "etcd"), "error"
	any := []url.URL{{Scheme: "http", Host: "127.0.0.1:0"}}
	c.ListenClientUrls, c.ListenPeerUrls = any, any
	e, err := embed.StartEtcd(c)
	if err != nil {
		return "", nil, err
	}
	<-e.Server.ReadyNotify()
	return e.Clients[0].Addr().String(), e.Close, nil
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
