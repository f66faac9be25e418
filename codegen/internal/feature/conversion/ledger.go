package conversion

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/askind/askind/codegen/internal/emit"
	"github.com/askind/askind/codegen/internal/load"
)

// LedgerName is the name of the file that records the losses of the conversions of a package. It is
// both input and output: a loss that it does not list is an error until it is accepted, so that no
// change makes data disappear unnoticed.
const LedgerName = "zz_generated.losses.txt"

// AcceptCommand is what a person runs who has looked at new losses.
const AcceptCommand = "go tool askind -accept-losses ./..."

const ledgerHeader = emit.Header + `
//
// What the conversions of this package lose, one line for each field and direction. A new line is a decision to be reviewed; it comes in by
//   ` + AcceptCommand + `
`

// recorded is one line of the ledger. The key is the line without the reason, which may be
// reworded.
type recorded struct {
	key, line string
	declared
}

// record lists the lines of a package in order.
func (p *planner) record() []recorded {
	var out []recorded
	for _, pr := range p.pairs {
		if !pr.root {
			continue
		}
		for d, word := range []string{"to", "from"} {
			carried := slices.DeleteFunc(allCarried(pr, direction(d)), func(l declared) bool { return l.unguarded })
			for _, l := range slices.Concat(allLosses(pr, direction(d)), carried) {
				key := pr.spoke.Name + " " + word + " " + p.peerName(pr) + ": " + l.path + ": " + string(l.sort)
				line := key
				if reason := strings.Join(strings.Fields(l.reason), " "); reason != "" {
					line += ": " + reason
				}
				out = append(out, recorded{key: key, line: line, declared: l})
			}
		}
	}
	slices.SortStableFunc(out, func(a, b recorded) int { return strings.Compare(a.line, b.line) })
	return slices.CompactFunc(out, func(a, b recorded) bool { return a.line == b.line })
}

// peerName returns the name of the other kind, as apiVersion/Kind, or as import/path.Type without a
// group.
func (p *planner) peerName(pr *pair) string {
	peer := pr.peer.pkg
	if !peer.HasGroup {
		return peer.Path + "." + pr.hub.Name
	}
	return peer.APIVersion() + "/" + pr.hub.Name
}

// Files implements feature.WithFiles.
func (p *planner) Files() map[string][]byte {
	lines := p.record()
	if len(lines) == 0 {
		return nil
	}
	var b strings.Builder
	b.WriteString(ledgerHeader + "\n")
	for _, l := range lines {
		b.WriteString(l.line + "\n")
	}
	return map[string][]byte{LedgerName: []byte(b.String())}
}

// checkLedger reports the losses that the ledger does not have. A package whose conversions are
// generated for the first time has none to compare with: all of its files are new, and all are up
// for review.
func (p *planner) checkLedger() {
	if p.c.AcceptLosses || !p.c.Selected {
		return
	}
	lines := p.record()
	if len(lines) == 0 {
		return
	}
	// A package without losses has no ledger, so a missing one is like an empty one.
	unlisted := LedgerName + " does not have this loss"
	src, err := os.ReadFile(filepath.Join(p.pkg.Dir, LedgerName))
	if err != nil {
		code, err := os.ReadFile(filepath.Join(p.pkg.Dir, "zz_generated.conversion.go"))
		if err != nil || !load.HasHeader(code, emit.Header) {
			return
		}
		unlisted = LedgerName + " does not exist, so this loss is new"
	}
	known := strings.Split(string(src), "\n")
	var fresh []recorded
	for _, l := range lines {
		if !slices.ContainsFunc(known, func(line string) bool { return strings.HasPrefix(line, l.key) }) {
			fresh = append(fresh, l)
		}
	}
	// What one place in the source loses is one decision, however many kinds it concerns.
	slices.SortStableFunc(fresh, func(a, b recorded) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.sort, b.sort), cmp.Compare(a.reason, b.reason))
	})
	for len(fresh) > 0 {
		first, n := fresh[0], 1
		for n < len(fresh) && fresh[n].at == first.at && fresh[n].sort == first.sort &&
			fresh[n].reason == first.reason {
			n++
		}
		fresh = fresh[n:]
		more := ""
		if n > 1 {
			more = fmt.Sprintf(", and %d more like it", n-1)
		}
		d := p.c.Errorf(first.at, "convert-loss", "%s: %s%s; if it is meant, accept it", unlisted, first.line, more)
		switch owner, target := p.typeName(first.owner.Named), p.typeName(first.target.Named); first.sort {
		case dropped:
			d.Relate(p.u.Position(first.other), "%s does not have it", target)
		case guarded:
			d.Relate(p.u.Position(first.other), "%s comes back only as long as nobody edits its guard", first.otherName)
		case absent:
			d.Relate(p.u.Position(first.other), "%s has it", owner)
		default:
			d.Relate(p.u.Position(first.other), "%s, the other side", first.otherName)
		}
		d.Suggest("%s", AcceptCommand)
	}
}
