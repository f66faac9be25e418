package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestArguments checks that the program refuses an argument that it does not know, such as the name
// of a file without its flag. The test runs the program in a process of its own.
func TestArguments(t *testing.T) {
	t.Parallel()
	if os.Getenv("FLEET_ARGUMENTS") != "" {
		os.Args = []string{"fleet", "-addr", "127.0.0.1:-1", "fleet.db"}
		main()
		return
	}
	command := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestArguments$")
	command.Env = append(os.Environ(), "FLEET_ARGUMENTS=1")
	out, err := command.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "no arguments such as fleet.db") {
		t.Errorf("%v\n%s", err, out)
	}
}
