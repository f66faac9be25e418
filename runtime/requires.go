package runtime

import (
	"iter"
	"slices"

	"github.com/askind/askind/internal/sorted"
	"github.com/askind/askind/schema"
)

// requirement records that a group version requires another one.
type requirement struct {
	by, needs schema.GroupVersion
	site      site
}

// Requires declares that a group version needs others, for example because its objects refer to
// theirs. A needed group version without a version stands for any version of that group. A scheme
// that has kinds in the group version but lacks one that it needs cannot be built, so neither
// [Scheme.Without] nor an omission can break the dependency. A server refuses to serve the group
// version while the option Disable turns off one that it needs.
func (b *Builder) Requires(by schema.GroupVersion, needs ...schema.GroupVersion) {
	at := callerSite(0)
	for _, gv := range needs {
		b.requirements = append(b.requirements, requirement{by: by, needs: gv, site: at})
	}
}

// Requirements yields the dependencies that [Builder.Requires] declared, in the order of their
// declaration: a group version, and one that it needs. The scheme may have no kinds in the former.
// The latter stands for any version of its group if it has no version.
func (s *Scheme) Requirements() iter.Seq2[schema.GroupVersion, schema.GroupVersion] {
	return func(yield func(by, needs schema.GroupVersion) bool) {
		for _, r := range s.registered.requirements {
			if !yield(r.by, r.needs) {
				return
			}
		}
	}
}

// checkRequirements reports group versions that lack a required one.
func (w *build) checkRequirements() {
	has := func(gv schema.GroupVersion) bool {
		versions := w.scheme.versions[gv.Group]
		return gv.Version == "" && len(versions) > 0 || slices.Contains(versions, gv)
	}
	type pair struct{ by, needs schema.GroupVersion }
	first := make(map[pair]bool, len(w.requirements))
	w.requirements = sorted.Delete(w.requirements, func(r requirement) (again bool) {
		again = first[pair{r.by, r.needs}]
		first[pair{r.by, r.needs}] = true
		if again || !has(r.by) || has(r.needs) {
			return again
		}
		needs := r.needs.String()
		if r.needs.Version == "" {
			needs = "any version of " + r.needs.Group
		}
		w.conflict("the group version "+r.by.String(), "it requires "+needs+", as declared at "+r.site.String()+
			"; register that too, or remove both", "")
		return false
	})
}
