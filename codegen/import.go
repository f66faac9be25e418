package codegen

import (
	"fmt"
	"go/token"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/askind/askind/codegen/internal/diag"
	"github.com/askind/askind/codegen/internal/fromapi"
	"github.com/askind/askind/codegen/internal/fromcrd"
	"github.com/askind/askind/codegen/internal/skeleton"
)

// ImportSpec holds the input and options of [ImportDefinitions].
type ImportSpec struct {
	// File is the name of Data in diagnostics. Data is YAML or JSON.
	File string
	Data []byte
	// Path is the import path of the target directory. If it is blank, the files are those of a
	// project.
	Path string
	// Module, Require and Replace are those of a project, see [ProjectSpec]. A blank module is
	// named after the group or, among several groups, after Project.
	Module, Require, Replace string
	// Project is the name of the project, such as that of its directory. If it is blank, that of
	// the first group is used.
	Project string
}

// ImportDefinitions generates Go types from the CustomResourceDefinitions in a file. It returns a
// package for each version of a group, with the markers from which [CustomResourceDefinitions]
// generates the same definitions. In addition it returns a project or, for an existing module, a
// package for each group that registers its versions.
//
// Versions are converted to and from the storage version. Fields are matched by name, fields that
// one version lacks are carried, and for fields whose types differ, functions to be completed by
// hand are generated. What Go types cannot express is reported as a warning with its line.
func ImportDefinitions(s ImportSpec) (*Documents, error) {
	var d diag.List
	out := &Documents{Files: map[string][]byte{}}
	defs := fromcrd.Read(s.File, s.Data, &d)
	if len(defs) == 0 && !d.HasErrors() {
		d.Errorf(token.Position{Filename: s.File}, "crd-none", "the file contains no CustomResourceDefinition")
	}
	if d.HasErrors() {
		out.Diagnostics = d.Sorted()
		return out, nil
	}
	groups, dirs, err := groupsOf(defs)
	if err != nil {
		return nil, err
	}
	root := s.Path
	if root == "" {
		if s.Module == "" {
			s.Module = moduleOfGroups(groups, s.Project)
		}
		root = s.Module
	}
	packages := fromcrd.Plan(defs, s.File, root, func(group string) string {
		if s.Path == "" && len(groups) == 1 {
			return ""
		}
		return dirs[group]
	}, &d)
	around := skeleton.ImportSpec{
		Group: groups[0], Groups: sentence(groups), Source: path.Base(s.File), Module: s.Module, Require: s.Require,
		Replace: s.Replace, Kinds: importedKinds(defs),
	}
	if len(groups) > 1 {
		around.Program = path.Base(s.Module)
	}
	for _, p := range packages {
		for name, text := range p.Files() {
			out.Files[p.Dir+"/"+name] = text
		}
		name := importName(p, dirs)
		if len(groups) > 1 {
			name = dirs[p.Group] + p.Version
		}
		around.Packages = append(around.Packages, skeleton.Package{Name: name, Path: p.Path})
		for _, fn := range p.Pending {
			around.Pending = append(around.Pending, p.Dir+"/conversion.go: "+fn)
		}
	}
	out.Diagnostics = d.Sorted()
	for _, found := range out.Diagnostics {
		around.Lost = append(around.Lost, fmt.Sprintf("line %d: %s", found.Pos.Line, found.Message))
	}
	if s.Path == "" {
		err = merge(out.Files, "")(skeleton.Import(around))
	} else {
		err = importGroups(out.Files, groups, dirs, packages)
	}
	if err != nil {
		return nil, &UsageError{Message: err.Error()}
	}
	if d.HasErrors() {
		clear(out.Files)
	}
	return out, nil
}

// groupsOf returns the groups of definitions in order, and for each the name of its directory and
// package.
func groupsOf(defs []*fromcrd.Definition) (groups []string, dirs map[string]string, err error) {
	for _, def := range defs {
		groups = append(groups, def.Group)
	}
	slices.Sort(groups)
	groups = slices.Compact(groups)
	dirs = map[string]string{}
	for _, g := range groups {
		name := skeleton.PackageName(g)
		if name == "" {
			return nil, nil, &UsageError{
				Message: fmt.Sprintf("the first word of group %q is not a valid Go package name", g),
			}
		}
		// Groups that begin with the same word are distinguished by the following words, as many as
		// that takes, and in the end by a number.
		words := strings.Split(g, ".")
		for n := 3; slices.Contains(slices.Collect(maps.Values(dirs)), name); n++ {
			name = strings.ReplaceAll(strings.Join(words[:min(n, len(words))], ""), "-", "")
			if more := n - max(3, len(words)); more > 0 {
				name += strconv.Itoa(more + 1)
			}
		}
		dirs[g] = name
	}
	return groups, dirs, nil
}

// importName returns the name under which a file imports a package: its own, unless that could be
// the name of something else, such as server or error.
func importName(p *fromcrd.Package, dirs map[string]string) string {
	if skeleton.IsVersion(p.Version) {
		return p.Version
	}
	return dirs[p.Group] + p.Version
}

// importGroups adds the packages that register the versions of each group.
func importGroups(files map[string][]byte, groups []string, dirs map[string]string, packages []*fromcrd.Package) error {
	for _, g := range groups {
		one := skeleton.ImportSpec{Group: g}
		for _, p := range packages {
			if p.Group == g {
				one.Packages = append(one.Packages, skeleton.Package{Name: importName(p, dirs), Path: p.Path})
			}
		}
		if err := merge(files, dirs[g]+"/")(skeleton.ImportGroup(one)); err != nil {
			return err
		}
	}
	return nil
}

// merge returns a function that adds files to a map, below a directory.
func merge(to map[string][]byte, dir string) func(map[string][]byte, error) error {
	return func(files map[string][]byte, err error) error {
		for name, text := range files {
			to[dir+name] = text
		}
		return err
	}
}

// moduleOf returns a module path for a group, as in example.com/garage. Import paths cannot have
// the element vendor.
func moduleOf(group string) string {
	if first, rest, _ := strings.Cut(group, "."); strings.Contains(rest, ".") && first != "vendor" {
		return rest + "/" + first
	}
	return group
}

// moduleOfGroups returns a module path for a project: that of its group or, if there are several,
// the name of the project below the domain that they share.
func moduleOfGroups(groups []string, project string) string {
	if len(groups) == 1 || !projectName.MatchString(project) {
		return moduleOf(groups[0])
	}
	shared := strings.Split(groups[0], ".")
	for _, g := range groups[1:] {
		for len(shared) > 0 && !strings.HasSuffix("."+g, "."+strings.Join(shared, ".")) {
			shared = shared[1:]
		}
	}
	if len(shared) < 2 {
		shared = []string{"example", "com"}
	}
	return strings.Join(shared, ".") + "/" + project
}

// projectName matches directories whose name can be part of a module path.
var projectName = regexp.MustCompile(`^[a-z0-9][a-z0-9._-]*[a-z0-9]$`)

// sentence joins the names of groups.
func sentence(groups []string) string {
	if len(groups) == 1 {
		return "the API group " + groups[0]
	}
	last := len(groups) - 1
	return "the API groups " + strings.Join(groups[:last], ", ") + " and " + groups[last]
}

// importedKinds lists the versions of kinds that are served, with an object of each.
func importedKinds(defs []*fromcrd.Definition) []skeleton.ImportedKind {
	var out []skeleton.ImportedKind
	for _, def := range defs {
		for _, v := range def.Versions {
			if v.Unserved {
				continue
			}
			k := skeleton.ImportedKind{Kind: def.Kind, Resource: def.Plural, Singular: def.Singular}
			k.URL = "/apis/" + def.Group + "/" + v.Name + "/namespaces/default/" + def.Plural
			if def.Cluster {
				k.URL = "/apis/" + def.Group + "/" + v.Name + "/" + def.Plural
			}
			if text, ok := fromcrd.Sample(def, v); ok {
				if yaml, err := toYAML(text); err == nil {
					k.Sample = strings.TrimPrefix(string(yaml), "---\n")
				}
			}
			out = append(out, k)
		}
	}
	return out
}

// APISource is a package that [ImportAPI] reads: its import path, directory and Go files, as go
// list prints them.
type APISource struct {
	Path, Dir string
	Files     []string
}

// APISpec holds the input and options of [ImportAPI].
type APISpec struct {
	// Sources lists the packages of one API group: those of its versions, which are named after
	// them, and optionally one named validation.
	Sources []APISource
	// Path, Module, Require and Replace are as in [ImportSpec].
	Path, Module, Require, Replace string
	// Provider is the module of the sources with its version, for the go.mod of a project.
	Provider string
}

// ImportAPI generates packages that serve the types of an API group of another module, such as one
// built on k8s.io/apiserver. It returns a package for each version. The package names the types and
// calls the hand-written defaults, conversions and validations for them, which are recognized by
// their names. The preferred version becomes the storage version. The surrounding files are the
// same as for [ImportDefinitions]. A function that looks relevant but is not called is reported as
// a warning.
func ImportAPI(s APISpec) (*Documents, error) {
	sources := make([]fromapi.Source, len(s.Sources))
	for i, src := range s.Sources {
		sources[i] = fromapi.Source(src)
	}
	packages, err := fromapi.Plan(sources)
	if err != nil {
		return nil, &UsageError{Message: err.Error()}
	}
	if len(packages) == 0 {
		return nil, &UsageError{Message: "no kinds in the packages; name the package of a version, such as example.com/api/v1"}
	}
	group := packages[0].Group
	if s.Module == "" {
		s.Module = moduleOf(group)
	}
	root, dir := s.Module, ""
	if s.Path != "" {
		dir = skeleton.PackageName(group) + "/"
		root = s.Path + "/" + strings.TrimSuffix(dir, "/")
	}
	var d diag.List
	out := &Documents{Files: map[string][]byte{}}
	around := skeleton.ImportSpec{
		Group: group, Groups: sentence([]string{group}), Source: path.Dir(packages[0].Source), Module: s.Module,
		Require: s.Require, Replace: s.Replace, Foreign: true,
		Modules: []string{"github.com/askind/askind/k8s " + s.Require, s.Provider},
	}
	if s.Replace != "" {
		around.Replaces = []string{"github.com/askind/askind/k8s => " + skeleton.ModString(s.Replace+"/k8s")}
	}
	for _, p := range packages {
		out.Files[dir+p.Version+"/doc.go"] = p.Text
		around.Packages = append(around.Packages, skeleton.Package{Name: p.Version, Path: root + "/" + p.Version})
		for _, fn := range p.Unused {
			why, caller := "its signature is not that of a validation of a kind", "Validate<Kind>"
			if strings.HasSuffix(fn, "Update") {
				why, caller = "it compares two objects", "ValidateChange<Kind>"
			}
			d.Warnf(token.Position{Filename: p.Source}, "api-unused", "%s is not called, because %s; call it in a function %s, "+
				"see docs/validation.md", fn, why, caller)
		}
		for _, k := range p.Kinds {
			name := strings.ToLower(k)
			around.Kinds = append(around.Kinds, skeleton.ImportedKind{Kind: k, Resource: name, Singular: name})
		}
	}
	out.Diagnostics = d.Sorted()
	for _, found := range out.Diagnostics {
		around.Lost = append(around.Lost, found.Message)
	}
	if s.Path == "" {
		err = merge(out.Files, "")(skeleton.Import(around))
	} else {
		err = merge(out.Files, dir)(skeleton.ImportGroup(around))
	}
	if err != nil {
		return nil, &UsageError{Message: err.Error()}
	}
	return out, nil
}
