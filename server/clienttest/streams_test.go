package clienttest

import (
	"bytes"
	"context"
	"encoding/pem"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/httpstream"
	"k8s.io/apimachinery/pkg/util/httpstream/spdy"
	"k8s.io/apimachinery/pkg/util/httpstream/wsstream"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/portforward"
	"k8s.io/client-go/tools/remotecommand"
	clientspdy "k8s.io/client-go/transport/spdy"

	"github.com/askind/askind/aggregator"
	"github.com/askind/askind/aggregator/v1alpha1"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/server"
)

const pod = "/api/v1/namespaces/n/pods/p"

// containers is a server that runs a command for requests of exec, which writes its input in upper
// case, and forwards ports to an echo.
func containers(t *testing.T) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Header.Get("X-Remote-User") == "":
			http.Error(w, "no user", http.StatusUnauthorized)
		case r.URL.Path == "/api/v1":
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprint(w, `{"kind":"APIResourceList","groupVersion":"v1","resources":[{"name":"pods","singularName":"pod",`+
				`"namespaced":true,"kind":"Pod","verbs":["get"]}]}`)
		case r.URL.Path == pod+"/exec" && wsstream.IsWebSocketRequest(r):
			conn := wsstream.NewConn(map[string]wsstream.ChannelProtocolConfig{"v5.channel.k8s.io": {
				Binary: true, Channels: []wsstream.ChannelType{
					wsstream.ReadChannel, wsstream.WriteChannel, wsstream.WriteChannel, wsstream.WriteChannel,
					wsstream.ReadChannel,
				},
			}})
			_, streams, err := conn.Open(w, r)
			if err != nil {
				t.Error(err)
				return
			}
			defer conn.Close()
			command(streams[0], streams[1], streams[2], streams[3])
		case r.URL.Path == pod+"/exec":
			conn, streams := acceptSPDY(t, w, r, "v4.channel.k8s.io", corev1.StreamType, 4)
			if conn == nil {
				return
			}
			defer conn.Close()
			command(streams["stdin"], streams["stdout"], streams["stderr"], streams["error"])
		case r.URL.Path == pod+"/portforward":
			conn, streams := acceptSPDY(t, w, r, portforward.PortForwardProtocolV1Name, corev1.StreamType, 2)
			if conn == nil {
				return
			}
			defer conn.Close()
			_ = streams["error"].Close()
			_, _ = io.Copy(streams["data"], streams["data"])
			_ = streams["data"].Close()
			<-conn.CloseChan()
		default:
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusNotFound)
			fmt.Fprint(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"NotFound","code":404}`)
		}
	})
}

// command writes its input in upper case, reports its end on stderr, and succeeds.
func command(stdin io.Reader, stdout, stderr, status io.Writer) {
	buffer := make([]byte, 1<<10)
	for {
		n, err := stdin.Read(buffer)
		_, _ = stdout.Write(bytes.ToUpper(buffer[:n]))
		if err != nil {
			break
		}
	}
	fmt.Fprint(stderr, "done")
	fmt.Fprint(status, `{"metadata":{},"status":"Success"}`)
}

// acceptSPDY upgrades a request and waits for a number of streams, which a header names.
func acceptSPDY(t *testing.T, w http.ResponseWriter, r *http.Request, protocol, header string, n int,
) (httpstream.Connection, map[string]httpstream.Stream) {
	if _, err := httpstream.Handshake(r, w, []string{protocol}); err != nil {
		t.Error(err)
		return nil, nil
	}
	arrived := make(chan httpstream.Stream, n)
	conn := spdy.NewResponseUpgrader().UpgradeResponse(w, r, func(s httpstream.Stream, _ <-chan struct{}) error {
		arrived <- s
		return nil
	})
	if conn == nil {
		return nil, nil
	}
	streams := map[string]httpstream.Stream{}
	for range n {
		select {
		case s := <-arrived:
			streams[s.Headers().Get(header)] = s
		case <-conn.CloseChan():
			return nil, nil
		}
	}
	return conn, streams
}

// TestStreamsThroughTheAggregator runs commands and forwards ports as kubectl does, by SPDY and by
// WebSocket, with a server behind an aggregator that speaks HTTP/1.1, and one that prefers HTTP/2,
// over which nothing can be upgraded.
func TestStreamsThroughTheAggregator(t *testing.T) {
	for _, secure := range []bool{false, true} {
		t.Run(fmt.Sprintf("TLS=%t", secure), func(t *testing.T) {
			t.Parallel()
			behind := httptest.NewUnstartedServer(containers(t))
			spec := v1alpha1.APIServiceSpec{Version: "v1"}
			if behind.EnableHTTP2 = secure; secure {
				behind.StartTLS()
				spec.CABundle = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: behind.Certificate().Raw})
			} else {
				behind.Start()
			}
			t.Cleanup(behind.Close)
			spec.URL = behind.URL
			agg, err := aggregator.New(aggregator.Config{})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { agg.Close() })
			agg.Set(&v1alpha1.APIService{ObjectMeta: metav1.ObjectMeta{Name: "v1"}, Spec: spec})
			config := overTCP(t, newServer(t, server.DelegateTo(agg)))
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			target := func(subresource string) *url.URL {
				u, err := url.Parse(config.Host + pod + "/" + subresource + "?stdin=true&stdout=true&stderr=true")
				if err != nil {
					t.Fatal(err)
				}
				return u
			}
			bySPDY, err := remotecommand.NewSPDYExecutor(config, "POST", target("exec"))
			if err != nil {
				t.Fatal(err)
			}
			byWebSocket, err := remotecommand.NewWebSocketExecutor(config, "GET", target("exec").String())
			if err != nil {
				t.Fatal(err)
			}
			for name, executor := range map[string]remotecommand.Executor{"SPDY": bySPDY, "WebSocket": byWebSocket} {
				converse(ctx, t, name, executor)
			}
			forward(ctx, t, config, target("portforward"))
		})
	}
}

// converse runs the command and answers what it writes, line by line.
func converse(ctx context.Context, t *testing.T, name string, executor remotecommand.Executor) {
	t.Helper()
	input, toCommand := io.Pipe()
	fromCommand, output := io.Pipe()
	var problems bytes.Buffer
	ended := make(chan error, 1)
	go func() {
		err := executor.StreamWithContext(ctx, remotecommand.StreamOptions{
			Stdin: input, Stdout: output, Stderr: &problems,
		})
		output.CloseWithError(io.EOF)
		input.CloseWithError(io.ErrClosedPipe)
		ended <- err
	}()
	large := strings.Repeat("x", 100<<10)
	for _, text := range []string{"one", "two", large} {
		go func() { _, _ = io.WriteString(toCommand, text) }()
		got := make([]byte, len(text))
		if _, err := io.ReadFull(fromCommand, got); err != nil || string(got) != strings.ToUpper(text) {
			t.Fatalf("%s: sent %.10q, got %.10q, %v, %v", name, text, got, err, <-ended)
		}
	}
	toCommand.Close()
	if err := <-ended; err != nil || problems.String() != "done" {
		t.Errorf("%s: the command ended with %v and wrote %q", name, err, problems.String())
	}
}

// forward sends something through a forwarded port.
func forward(ctx context.Context, t *testing.T, config *rest.Config, u *url.URL) {
	t.Helper()
	transport, upgrader, err := clientspdy.RoundTripperFor(config)
	if err != nil {
		t.Fatal(err)
	}
	dialer := clientspdy.NewDialer(upgrader, &http.Client{Transport: transport}, http.MethodPost, u)
	stop, ready := make(chan struct{}), make(chan struct{})
	var log bytes.Buffer
	f, err := portforward.New(dialer, []string{"0:80"}, stop, ready, io.Discard, &log)
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- f.ForwardPorts() }()
	select {
	case <-ready:
	case err := <-ended:
		t.Fatalf("the port is not forwarded: %v", err)
	case <-ctx.Done():
		t.Fatal(ctx.Err())
	}
	ports, err := f.GetPorts()
	if err != nil {
		t.Fatal(err)
	}
	conn, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", ports[0].Local))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(30 * time.Second))
	fmt.Fprint(conn, "hello")
	got := make([]byte, 5)
	if _, err := io.ReadFull(conn, got); err != nil || string(got) != "hello" {
		t.Errorf("the port answers %q, %v; %s", got, err, log.String())
	}
	conn.Close()
	close(stop)
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
