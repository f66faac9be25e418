package html

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// stubs stand in for a browser. The table can be watched at first, and not any more when it has
// been read again.
const stubs = `
const asked = [];
const table = (watch) => ({
	dataset: watch ? { watch } : {}, children: [], querySelectorAll: () => [], replaceChildren() {},
});
const first = table("?watch=true");
globalThis.document = {
	hidden: false, getElementById: (id) => id === "table" ? first : {},
	addEventListener() {}, removeEventListener() {},
};
globalThis.DOMParser = class { parseFromString() { return { getElementById: () => table() }; } };
globalThis.location = { href: "/page", reload() { console.log("reload", asked.join(" ")); process.exit(0); } };
globalThis.fetch = async (address) => {
	asked.push(address);
	if (asked.length > 3) { console.log(asked.join(" ")); process.exit(1); }
	const events = [new Uint8Array(1)];
	return {
		ok: true, text: async () => "",
		body: { getReader: () => ({ read: async () => ({ done: events.length === 0, value: events.pop() }) }) },
	};
};
`

// TestScriptOfLongerTable runs the script with a table that becomes too long to be watched: the
// page is loaded again, without the script.
func TestScriptOfLongerTable(t *testing.T) {
	t.Parallel()
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("node is not installed")
	}
	file := filepath.Join(t.TempDir(), "live.js")
	if err := os.WriteFile(file, []byte(stubs+parse().script), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), node, file).CombinedOutput()
	if got := strings.TrimSpace(string(out)); err != nil || got != "reload ?watch=true /page" {
		t.Errorf("got %s, %v", got, err)
	}
}
