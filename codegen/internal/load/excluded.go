package load

import (
	"errors"
	"go/build"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// findExcluded finds the packages that have a mark and no file in this build, in the directories of
// the patterns that end in "/...". The go command omits them from its list.
func (p *Program) findExcluded(patterns []string, roots []*packages.Package) {
	seen := map[string]bool{}
	for _, m := range roots {
		seen[m.Dir] = true
	}
	for _, pattern := range patterns {
		root, below := strings.CutSuffix(filepath.ToSlash(pattern), "/...")
		if !below || !build.IsLocalImport(root) && !filepath.IsAbs(root) {
			continue
		}
		if !filepath.IsAbs(root) {
			root = filepath.Join(p.cfg.Dir, root)
		}
		// Unreadable files are ignored.
		_ = filepath.WalkDir(root, func(dir string, d fs.DirEntry, err error) error {
			switch {
			case err != nil || !d.IsDir():
				return nil
			case dir != root && (IsIgnored(d.Name()) || isFile(filepath.Join(dir, "go.mod"))):
				return filepath.SkipDir
			case !seen[dir]:
				seen[dir] = true
				if m := excluded(dir); m != nil && p.marked(m) {
					p.Excluded = append(p.Excluded, newPackage(m))
				}
			}
			return nil
		})
	}
	slices.SortFunc(p.Excluded, func(a, b *Package) int { return strings.Compare(a.Dir, b.Dir) })
}

// excluded returns the package in a directory if the build has none of its files, and nil
// otherwise.
func excluded(dir string) *packages.Package {
	ctx := build.Default
	ctx.CgoEnabled, ctx.GOOS, ctx.GOARCH = false, platform, architecture
	found, err := ctx.ImportDir(dir, 0)
	if _, none := errors.AsType[*build.NoGoError](err); !none {
		return nil
	}
	m := &packages.Package{Dir: dir}
	for _, base := range found.IgnoredGoFiles {
		name := filepath.Join(dir, base)
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.PackageClauseOnly)
		if err != nil || file.Name.Name == "main" || strings.HasSuffix(base, "_test.go") {
			continue
		}
		m.Name = file.Name.Name
		m.IgnoredFiles = append(m.IgnoredFiles, name)
	}
	return m
}
