// Command original is k8s.io/sample-apiserver with etcd in the same process. It is what the server
// of folder wardle is compared with: everybody may do everything, there is no cluster
// beside it, and its handler is served over plain HTTP, so that both are asked in the same way.
//
//	original ADDRESS
package main

import (
	"context"
	"log"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"

	"go.etcd.io/etcd/server/v3/embed"
	"k8s.io/apiserver/pkg/authentication/request/anonymous"
	"k8s.io/apiserver/pkg/authorization/authorizerfactory"
	genericapiserver "k8s.io/apiserver/pkg/server"
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
	options, err := options(dir, endpoint)
	if err != nil {
		return err
	}
	config, err := options.Config()
	if err != nil {
		return err
	}
	config.GenericConfig.Authentication.Authenticator = anonymous.NewAuthenticator(nil)
	config.GenericConfig.Authorization.Authorizer = authorizerfactory.NewAlwaysAllowAuthorizer()
	wardle, err := config.Complete().New()
	if err != nil {
		return err
	}
	apiserver := wardle.GenericAPIServer
	apiserver.AddPostStartHookOrDie("start-sample-server-informers", func(c genericapiserver.PostStartHookContext) error {
		options.SharedInformerFactory.Start(c.Done())
		return nil
	})
	prepared := apiserver.PrepareRun()
	l, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	go func() { log.Print(http.Serve(l, apiserver.Handler)) }()
	return prepared.RunWithContext(ctx)
}

// options are those of sample-apiserver without a cluster.
func options(dir, etcd string) (*server.WardleServerOptions, error) {
	file := filepath.Join(dir, "kubeconfig")
	if err := os.WriteFile(file, []byte(kubeconfig), 0o600); err != nil {
		return nil, err
	}
	o := server.NewWardleServerOptions(os.Stdout, os.Stderr)
	server.NewCommandStartWardleServer(context.Background(), o, false) // registers the versions
	if err := o.ComponentGlobalsRegistry.Set(); err != nil {
		return nil, err
	}
	r := o.RecommendedOptions
	r.Etcd.StorageConfig.Transport.ServerList = []string{etcd}
	r.SecureServing.ServerCert.CertDirectory = dir
	r.SecureServing.BindAddress, r.SecureServing.BindPort = net.IPv4(127, 0, 0, 1), 0
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	r.SecureServing.Listener = l
	r.CoreAPI.CoreAPIKubeconfigPath = file
	r.Authentication, r.Authorization = nil, nil
	r.Features.EnablePriorityAndFairness = false // its configuration is in the cluster
	r.Admission.DisablePlugins = []string{
		"NamespaceLifecycle", "MutatingAdmissionPolicy", "MutatingAdmissionWebhook", "ValidatingAdmissionPolicy",
		"ValidatingAdmissionWebhook",
	}
	return o, o.Complete()
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
