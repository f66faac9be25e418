package serializer_test

import (
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer"
)

// reference is a second implementation of the negotiation, for comparison: it writes down every
// representation that the header could mean, with regular expressions for the grammar and no care
// for speed, and then picks one.
func reference(f *serializer.Factory, accept []string, offer serializer.Offer) string {
	mediaTypes := offer.MediaTypes
	if len(mediaTypes) == 0 {
		mediaTypes = f.MediaTypes()
	}
	clauses, any := referenceClauses(accept)
	if !any {
		return referenceOutcome(strings.ToLower(mediaTypes[0]), nil, offer, offer.Kind)
	}
	// Only clauses that ask for something that exists take part.
	var possible []map[string]string
	var targets []schema.GroupVersionKind
	for _, c := range clauses {
		c = referenceAlias(c, offer.Kind.Empty())
		if target, ok := referenceTarget(f, c, offer.Kind); ok && referenceAvailable(f, c, offer, target) {
			possible = append(possible, c)
			targets = append(targets, target)
		}
	}
	specificity := func(c map[string]string) int {
		n := 0
		for _, name := range []string{
			"g", "v", "as", "pretty", "sv", "export", "stream", "profile", "includeObject", "drop",
		} {
			if _, ok := c[name]; ok {
				n++
			}
		}
		return 10*referenceLevel(c) + n
	}
	best, bestQuality, bestLevel := refused, 0.0, -1
	for i, c := range possible {
		if referenceQuality(c) == 0 {
			continue
		}
		for _, m := range mediaTypes {
			m = strings.ToLower(m)
			if !referenceMatches(c, m) {
				continue
			}
			quality, most := 0.0, -1
			for j, other := range possible {
				if referenceMatches(other, m) && (!referenceTransforms(other) || targets[j] == targets[i]) &&
					referenceCovers(other, c, offer) && specificity(other) > most {
					quality, most = referenceQuality(other), specificity(other)
				}
			}
			if quality > bestQuality || quality == bestQuality && quality > 0 && referenceLevel(c) > bestLevel {
				best, bestQuality, bestLevel = referenceOutcome(m, c, offer, targets[i]), quality, referenceLevel(c)
			}
		}
	}
	return best
}

const token = "[!#$%&'*+.^_`|~0-9A-Za-z-]+"

var (
	referenceElement = regexp.MustCompile(`^(?:"(?:[^"\\]|\\.)*"|"(?:[^"\\]|\\.)*\\?$|[^,"])*`)
	referenceRange   = regexp.MustCompile(`^(\*|` + token + `/` + token + `)((?:[ \t]*;[ \t]*(?:` + token + `=(?:` +
		token + `|"(?:[\t !\x23-\x5b\x5d-\x7e\x80-\xff]|\\[\t -\x7e\x80-\xff])*"))?)*)[ \t]*$`)
	referenceContinued = regexp.MustCompile(`^` + token + `=`)
	referenceParameter = regexp.MustCompile(`(` + token + `)=(` + token +
		`|"(?:[\t !\x23-\x5b\x5d-\x7e\x80-\xff]|\\[\t -\x7e\x80-\xff])*")`)
	referenceQ = regexp.MustCompile(`^(?:0?\.[0-9]{1,3}|0\.?|1(?:\.0{0,3})?)$`)
	escaped    = regexp.MustCompile(`\\(.)`)
)

// latin1 lets regular expressions see bytes: each becomes the character of its number.
func latin1(s string) string {
	r := make([]rune, len(s))
	for i := range len(s) {
		r[i] = rune(s[i])
	}
	return string(r)
}

func unlatin1(s string) string {
	var b []byte
	for _, r := range s {
		b = append(b, byte(r))
	}
	return string(b)
}

// referenceClauses returns the sound clauses, each as its parameters and the media range under the
// name "range", and whether there was any clause.
func referenceClauses(lines []string) (sound []map[string]string, any bool) {
	var texts []string
	for _, line := range lines {
		for line = latin1(line); line != ""; {
			element := referenceElement.FindString(line)
			line = strings.TrimPrefix(line[len(element):], ",")
			element = strings.Trim(element, " \t")
			switch {
			case element == "":
			case referenceContinued.MatchString(element) && len(texts) > 0:
				texts[len(texts)-1] += ";" + element
			default:
				texts = append(texts, element)
			}
		}
	}
	for _, text := range texts {
		if c, ok := referenceClause(text); ok {
			sound = append(sound, c)
		}
	}
	return sound, len(texts) > 0
}

func referenceClause(text string) (map[string]string, bool) {
	m := referenceRange.FindStringSubmatch(text)
	if m == nil {
		return nil, false
	}
	c := map[string]string{"range": strings.ToLower(m[1])}
	if c["range"] == "*" {
		c["range"] = "*/*"
	}
	if strings.HasPrefix(c["range"], "*/") && c["range"] != "*/*" {
		return nil, false
	}
	for _, p := range referenceParameter.FindAllStringSubmatch(m[2], -1) {
		name, value := strings.ToLower(p[1]), p[2]
		if name == harmless {
			continue
		}
		if name == "includeobject" {
			name = "includeObject"
		}
		if strings.HasPrefix(value, `"`) {
			value = escaped.ReplaceAllString(value[1:len(value)-1], "$1")
		}
		if _, twice := c[name]; twice || name == "range" {
			return nil, false
		}
		c[name] = unlatin1(value)
		switch name {
		case "g":
		case "drop":
			if value == "" {
				return nil, false
			}
			c[name] = "other"
			if slices.Contains(strings.Split(value, "+"), "metadata.managedFields") {
				c[name] = "metadata.managedFields"
			}
		case "v", "as", "sv", "stream", "profile":
			if value == "" {
				return nil, false
			}
		case "includeObject":
			if value != "None" && value != "Metadata" && value != "Object" {
				return nil, false
			}
		case "pretty", "export":
			if value != "0" && value != "1" {
				return nil, false
			}
		case "q":
			if !referenceQ.MatchString(value) {
				return nil, false
			}
		case "charset":
			if strings.ToLower(value) != "utf-8" {
				return nil, false
			}
		default:
			return nil, false
		}
	}
	return c, true
}

// referenceAlias writes out what an alias stands for.
func referenceAlias(c map[string]string, formatOnly bool) map[string]string {
	out := maps.Clone(c)
	add := func(name, value string) {
		if _, ok := c[name]; !ok {
			out[name] = value
		}
	}
	transforms := referenceTransforms(c) || formatOnly
	switch c["range"] {
	case "application/json+vnd.kubernetes.export":
		out["range"] = "application/json"
		add("export", "1")
	case "application/json+vnd.kubernetes.as+meta.k8s.io+v1+tabularoutput":
		out["range"] = "application/json"
		if !transforms {
			out["g"], out["v"], out["as"] = "meta.k8s.io", "v1", "TabularOutput"
		}
	case "text/csv":
		if !transforms {
			out["as"] = "Table"
		}
	case "application/vnd.example.rows":
		out["range"] = "application/yaml"
		add("pretty", "1")
		add("includeObject", "None")
		if !transforms {
			out["as"] = "Table"
		}
	}
	return out
}

// referenceAvailable looks at the parameters that ask for neither a kind nor a form.
func referenceAvailable(f *serializer.Factory, c map[string]string, offer serializer.Offer,
	target schema.GroupVersionKind,
) bool {
	if sv, ok := c["sv"]; ok {
		gvk := schema.GroupVersionKind{Group: "meta.k8s.io", Version: sv, Kind: "Status"}
		if k, err := f.Scheme().Kind(gvk); err != nil || k.GroupVersionKind() != gvk {
			return false
		}
	}
	if stream, ok := c["stream"]; ok && stream != offer.Stream {
		return false
	}
	if profile, ok := c["profile"]; ok && !slices.Contains(offer.Profiles, profile) {
		return false
	}
	_, ok := c["includeObject"]
	return !ok || target.Kind == "Table"
}

// referenceWith returns a parameter of a clause, or what the offer says in its place.
func referenceWith(c map[string]string, name string, offer serializer.Offer) string {
	if value, ok := c[name]; ok {
		return value
	}
	if name == "pretty" && offer.Pretty || name == "export" && offer.Export {
		return "1"
	}
	if name == "pretty" || name == "export" {
		return "0"
	}
	if name == "drop" {
		return "other"
	}
	return ""
}

// referenceCovers reports whether what other states holds for what c asks for.
func referenceCovers(other, c map[string]string, offer serializer.Offer) bool {
	for _, name := range []string{"sv", "export", "profile", "includeObject", "pretty", "drop"} {
		if name == "pretty" && offer.Stream != "" {
			continue
		}
		if value, ok := other[name]; ok && value != referenceWith(c, name, offer) {
			return false
		}
	}
	return true
}

func referenceQuality(c map[string]string) float64 {
	q, ok := c["q"]
	if !ok {
		return 1
	}
	v, _ := strconv.ParseFloat("0"+q, 64)
	return v
}

func referenceTransforms(c map[string]string) bool {
	_, g := c["g"]
	_, v := c["v"]
	_, as := c["as"]
	return g || v || as
}

// referenceLevel is 0 for */*, 1 for type/* and 2 for a media type.
func referenceLevel(c map[string]string) int {
	switch {
	case c["range"] == "*/*":
		return 0
	case strings.HasSuffix(c["range"], "/*"):
		return 1
	}
	return 2
}

func referenceMatches(c map[string]string, mediaType string) bool {
	switch r := c["range"]; referenceLevel(c) {
	case 0:
		return true
	case 1:
		return strings.HasPrefix(mediaType, strings.TrimSuffix(r, "*"))
	default:
		return r == mediaType
	}
}

// referenceTarget looks through all kinds of the scheme for the one that a clause means.
func referenceTarget(f *serializer.Factory, c map[string]string, from schema.GroupVersionKind) (schema.GroupVersionKind,
	bool,
) {
	if !referenceTransforms(c) {
		return from, true
	}
	var none schema.GroupVersionKind
	if from.Empty() {
		return none, false
	}
	g, statesGroup := c["g"]
	v, statesVersion := c["v"]
	as, statesKind := c["as"]
	groups := []string{from.Group}
	switch {
	case statesGroup:
		groups = []string{g}
	case statesKind:
		groups = append(groups, "meta.k8s.io")
	}
	server, statesServer := c["sv"]
	for _, group := range groups {
		versions := f.Scheme().Versions(group)
		if group == from.Group {
			versions = append([]schema.GroupVersion{from.GroupVersion()}, versions...)
			if !statesGroup {
				versions = versions[:1]
			}
		}
		if statesKind && statesServer && !statesGroup && group == "meta.k8s.io" {
			versions = append([]schema.GroupVersion{{Group: group, Version: server}}, versions...)
		}
		if statesVersion {
			versions = []schema.GroupVersion{{Group: group, Version: v}}
		}
		for _, gv := range versions {
			if statesKind {
				if to, ok := f.Scheme().CanAs(from, gv.WithKind(as)); ok {
					return to, true
				}
				continue
			}
			// The kinds of the tests have other names in the group of assets only.
			name := from.Kind
			if group == assetsV1.Group && from.Group != assetsV1.Group {
				name = strings.Replace(name, "Machine", "Asset", 1)
			}
			if _, err := f.Scheme().Kind(gv.WithKind(name)); err == nil && f.Scheme().CanConvert(from, gv) {
				return gv.WithKind(name), true
			}
		}
	}
	return none, false
}

func referenceOutcome(mediaType string, c map[string]string, offer serializer.Offer,
	target schema.GroupVersionKind,
) string {
	s := mediaType
	if c != nil && referenceTransforms(c) {
		if target.Group != "" || offer.Kind.Group != "" {
			s += ";g=" + target.Group
		}
		s += ";v=" + target.Version
		if as, ok := c["as"]; ok {
			s += ";as=" + as
		}
	}
	for _, name := range []string{"includeObject", "sv", "export", "drop", "profile"} {
		if value, ok := c[name]; ok && (name != "export" || value == "1") && value != "other" {
			if !regexp.MustCompile("^" + token + "$").MatchString(value) {
				value = `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(value) + `"`
			}
			s += ";" + name + "=" + value
		}
	}
	if _, ok := c["stream"]; ok || offer.Stream != "" && mediaType != "application/json" {
		s += ";stream=" + offer.Stream
	}
	s += " => "
	if !target.Empty() {
		s += target.APIVersion() + " " + target.Kind
	}
	if offer.Stream == "" && referenceWith(c, "pretty", offer) == "1" {
		s += " pretty"
	}
	if referenceWith(c, "export", offer) == "1" {
		s += " export"
	}
	return s
}
