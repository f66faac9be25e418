package tour

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// Kubectl runs commands of kubectl in a shell.
type Kubectl struct {
	// Flags are added to each command: the server, and the credentials of the user.
	Flags string
	// Dir is where commands run, and Cache is a directory for what kubectl remembers.
	Dir, Cache string
}

// Session runs a block of kubectl commands, each on a line that begins with a $ and followed by its
// output, and compares the output. It returns the number of commands. It ignores aliases.
func (k Kubectl) Session(t *testing.T, block string) (commands int) {
	t.Helper()
	for step := range strings.SplitSeq(strings.TrimPrefix(block, "$ "), "\n$ ") {
		command, want, _ := strings.Cut(step, "\n")
		if !strings.HasPrefix(command, "alias ") {
			commands++
			got, _ := k.output(t, command) // the output says whether it failed
			compare(t, command, got, want)
		}
	}
	return commands
}

// Run runs a command that succeeds, and returns its output.
func (k Kubectl) Run(t *testing.T, command string) string {
	t.Helper()
	out, err := k.output(t, command)
	if err != nil {
		t.Errorf("%s: %v\n%s", command, err, out)
	}
	return out
}

func (k Kubectl) output(t *testing.T, command string) (string, error) {
	t.Helper()
	command = strings.TrimSpace(command)
	if !strings.HasPrefix(command, "kubectl ") {
		t.Fatalf("the test cannot follow %q", command)
	}
	cmd := exec.CommandContext(t.Context(), "bash", "-c", command+" "+k.Flags)
	cmd.Dir, cmd.Env = k.Dir, append(os.Environ(), "KUBECONFIG="+os.DevNull, "KUBECACHEDIR="+k.Cache)
	out, err := cmd.CombinedOutput()
	return string(out), err
}
