package tour

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// Server is a server that kubectl can reach.
type Server struct {
	// URL replaces the one in commands.
	URL string
	// Dir is where commands run, and Cache is a directory for what kubectl remembers.
	Dir, Cache string
}

// Session runs a block of kubectl commands, each on a line that begins with a $ and followed by its
// output, and compares the output. It returns the number of commands. It ignores aliases.
func (s Server) Session(t *testing.T, block string) (commands int) {
	t.Helper()
	for step := range strings.SplitSeq(strings.TrimPrefix(block, "$ "), "\n$ ") {
		command, want, _ := strings.Cut(step, "\n")
		if !strings.HasPrefix(command, "alias ") {
			commands++
			compare(t, command, s.Kubectl(t, command), want)
		}
	}
	return commands
}

// Kubectl runs a kubectl command in a shell and returns its output.
func (s Server) Kubectl(t *testing.T, command string) string {
	t.Helper()
	command = strings.TrimSpace(command)
	if !strings.HasPrefix(command, "kubectl ") {
		t.Fatalf("the test cannot follow %q", command)
	}
	cmd := exec.CommandContext(t.Context(), "bash", "-c", command+" --server "+s.URL)
	cmd.Dir, cmd.Env = s.Dir, append(os.Environ(), "KUBECONFIG="+os.DevNull, "KUBECACHEDIR="+s.Cache)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("%s: %v\n%s", command, err, out)
	}
	return string(out)
}
