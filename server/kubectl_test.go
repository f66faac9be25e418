package server_test

import (
	"encoding/pem"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	notes "github.com/askind/askind/examples/notes/api/v1"
	"github.com/askind/askind/internal/tour"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/server"
	"github.com/askind/askind/server/apiextensions"
	"github.com/askind/askind/server/auth"
	"github.com/askind/askind/store/memory"
)

// kubectlFor returns kubectl for a server, or skips the test.
func kubectlFor(t *testing.T, url, flags, dir string) tour.Kubectl {
	t.Helper()
	if _, err := exec.LookPath("kubectl"); err != nil {
		t.Skip("needs kubectl")
	}
	return tour.Kubectl{Flags: "--server " + url + flags, Dir: dir, Cache: t.TempDir()}
}

// session compares what kubectl prints with the block of a page that begins with a command.
func session(t *testing.T, kubectl tour.Kubectl, page, begins string) {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range tour.Blocks(string(text)) {
		if strings.HasPrefix(b.Text, "$ "+begins+"\n") {
			kubectl.Session(t, b.Text)
			return
		}
	}
	t.Errorf("%s has no session that begins with %s", page, begins)
}

// TestKubectlDefinitions compares what kubectl prints of a definition with docs/server.md.
func TestKubectlDefinitions(t *testing.T) {
	t.Parallel()
	scheme, err := runtime.NewScheme()
	if err != nil {
		t.Fatal(err)
	}
	srv, err := server.New(scheme, memory.New())
	if err != nil {
		t.Fatal(err)
	}
	defer srv.Close()
	if err := apiextensions.Serve(t.Context(), srv); err != nil {
		t.Fatal(err)
	}
	h := httptest.NewServer(srv)
	defer h.Close()
	session(t, kubectlFor(t, h.URL, "", "apiextensions/testdata"), "../docs/server.md", "kubectl apply -f crontabs.yaml")
}

// TestKubectlAuth compares what kubectl prints on a server with users with docs/kubectl.md.
func TestKubectlAuth(t *testing.T) {
	t.Parallel()
	scheme, err := runtime.NewScheme(notes.AddTo)
	if err != nil {
		t.Fatal(err)
	}
	policy, err := auth.NewPolicy(auth.Policy{Bindings: []auth.Binding{
		{Role: auth.ViewRole, Users: []string{"anna"}, Namespace: "default"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	users := auth.Tokens(map[string]auth.User{"secret": {Name: "anna"}})
	srv, err := server.New(scheme, memory.New(), server.Authenticate(users), server.Authorize(policy))
	if err != nil {
		t.Fatal(err)
	}
	defer srv.Close()
	h := httptest.NewTLSServer(srv)
	defer h.Close()
	dir := t.TempDir()
	authority := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: h.Certificate().Raw})
	for name, data := range map[string]string{
		"ca.pem":    string(authority),
		"note.yaml": "apiVersion: " + notes.GroupVersion.String() + "\nkind: Note\nmetadata: {name: a}\nspec: {text: hello}\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	kubectl := kubectlFor(t, h.URL, " --token secret --certificate-authority ca.pem", dir)
	session(t, kubectl, "../docs/kubectl.md", "kubectl auth can-i get notes")
}
