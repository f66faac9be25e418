package k8s_test

import (
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestMachineCode checks what the time follows from that generated code takes to compile, and which
// is the same in every run: how much machine code it becomes, and how many instances of generic
// functions it has the compiler make. cmd/compiletime measures the time itself. The machine code of
// JSON and protobuf is 40 % of that of the peer's protobuf, with 61 instances; the functions that
// measure messages are 5 of the 40. While those for lists and pointers were generic functions, and
// messages had none that measure, it was 57 %, with 1,537.
func TestMachineCode(t *testing.T) {
	t.Parallel()
	const ours, peers = "github.com/askind/askind/k8s/corev1", "k8s.io/api/core/v1"
	size, _ := machineCode(t, ours,
		regexp.MustCompile(`^`+regexp.QuoteMeta(ours)+`\.(DecodeJSON|AppendJSON|DecodeProto|PrependProto|sizeProto)`))
	shared, instances := machineCode(t, ours, regexp.MustCompile(`wire/(jsonwire|pbwire)\.\w+\[`))
	peer, _ := machineCode(t, peers,
		regexp.MustCompile(`\)\.(Marshal|MarshalTo|MarshalToSizedBuffer|Size|Unmarshal|String|Reset|ProtoMessage)$`))
	if size == 0 || shared == 0 || peer == 0 {
		t.Fatalf("%d and %d bytes of machine code beside %d", size, shared, peer)
	}
	if percent := 100 * (size + shared) / peer; percent > 40 {
		t.Errorf("JSON and protobuf have %d %% of the machine code of the peer's protobuf, want 40 %% at most", percent)
	}
	// What is left are lists of strings and numbers, and the sorted keys of maps.
	if instances > 80 {
		t.Errorf("%d instances of generic functions, want 80 at most", instances)
	}
	t.Logf("%d bytes in functions, %d in %d instances of generic ones, beside %d", size, shared, instances, peer)
}

// symbol is a line about a function: perhaps its address, its size, the letter T or t for text, and
// its name.
var symbol = regexp.MustCompile(`^\s*[0-9a-f]*\s+(\d+)\s+[Tt]\s+(.*)\n$`)

// machineCode returns the size and number of the functions of a package whose symbols match.
func machineCode(t *testing.T, pkg string, symbols *regexp.Regexp) (size, functions int) {
	t.Helper()
	for line := range strings.Lines(run(t, ".", "go", "tool", "nm", "-size",
		strings.TrimSpace(run(t, ".", "go", "list", "-export", "-f", "{{.Export}}", pkg)))) {
		fields := symbol.FindStringSubmatch(line)
		if fields == nil || !symbols.MatchString(fields[2]) {
			continue
		}
		n, err := strconv.Atoi(fields[1])
		if err != nil {
			t.Fatal(err)
		}
		size += n
		functions++
	}
	return size, functions
}
