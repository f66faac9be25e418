package load

import (
	"path/filepath"
	"slices"
	"strings"
)

// Sources has the locations of all listed packages outside of the standard library and the module
// cache, which never change. The names of directories have no symbolic links.
type Sources struct {
	// Trees are the directories of the main modules.
	Trees []string
	// Dirs are other directories with packages: of modules that are replaced by directories, or
	// vendored.
	Dirs []string
	// Files are the go.mod files of modules that are replaced by directories.
	Files []string
}

// Sources returns the locations of the packages, each list sorted.
func (p *Program) Sources() Sources {
	var s Sources
	add := func(list *[]string, name string) {
		if name != "" && !slices.Contains(*list, name) {
			*list = append(*list, name)
		}
	}
	for _, m := range p.metas {
		if m.Module != nil && m.Module.Main {
			add(&s.Trees, Resolved(m.Module.Dir))
		}
	}
	for _, m := range p.metas {
		switch {
		case m.Module == nil && isStd(m.PkgPath), m.Dir == "":
		case m.Module != nil && m.Module.Main && !ignored(m.Module.Dir, m.Dir) && !linked(m.Module.Dir, m.Dir):
		case m.Module != nil && !m.Module.Main && m.Module.Version != "" && m.Module.Replace == nil && !vendored(m.Dir):
		default:
			add(&s.Dirs, Resolved(m.Dir))
			if m.Module != nil && m.Module.Replace != nil {
				add(&s.Files, m.Module.GoMod)
			}
		}
	}
	slices.Sort(s.Trees)
	slices.Sort(s.Dirs)
	slices.Sort(s.Files)
	return s
}

// Resolved returns the directory that symbolic links lead to, or dir if it does not exist.
func Resolved(dir string) string {
	if to, err := filepath.EvalSymlinks(dir); err == nil {
		return to
	}
	return dir
}

// linked reports whether symbolic links lead from the directory of a module to one below it. A walk
// through the module does not follow them.
func linked(tree, dir string) bool {
	return filepath.Join(Resolved(tree), Rel(tree, dir)) != Resolved(dir)
}

// ignored reports whether ./... excludes a directory of a module.
func ignored(tree, dir string) bool {
	for part := range strings.SplitSeq(Rel(tree, dir), "/") {
		if IsIgnored(part) {
			return true
		}
	}
	return false
}

// IsIgnored reports whether the go command ignores directories with this name.
func IsIgnored(base string) bool {
	return base == "testdata" || base == "vendor" || base != "." && base != ".." && strings.HasPrefix(base, ".") ||
		strings.HasPrefix(base, "_")
}

func vendored(dir string) bool { return strings.Contains(filepath.ToSlash(dir), "/vendor/") }
