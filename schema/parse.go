package schema

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// The advice in messages.
const (
	adviceAPIVersion  = "write group/version, such as fleet.example.com/v1, or a version alone, such as v1"
	adviceKind        = "write Kind.group, such as Machine.fleet.example.com, or the kind alone"
	adviceResource    = "write resource.group, such as machines.fleet.example.com, or the resource alone"
	adviceKindArg     = "write Kind, Kind.group or Kind.version.group, such as Machine.v1.fleet.example.com"
	adviceResourceArg = "write resource, resource.group or resource.version.group, such as machines.v1.fleet.example.com"
	adviceKindName    = "write the name of a type, such as Machine"
)

// ParseError reports that a text is not a valid identifier or path. Find it with
// errors.AsType[*schema.ParseError](err).
type ParseError struct {
	_ struct{} // literals name their fields

	// What is the kind of text that was expected, such as "apiVersion".
	What string
	// Input is the whole text.
	Input string
	// Offset is the byte of Input at which the offending part starts. It is len(Input) when
	// something is missing at the end.
	Offset int
	// Reason describes the problem.
	Reason string
	// Advice says what to write instead; it may be blank.
	Advice string
}

// Error returns the message in the form `schema: apiVersion "a/b/c": reason at byte 3: advice`,
// with a long input shortened.
func (e *ParseError) Error() string {
	var b strings.Builder
	b.WriteString("schema: ")
	b.WriteString(e.What)
	b.WriteByte(' ')
	b.WriteString(Quote(e.Input))
	b.WriteString(": ")
	b.WriteString(e.Reason)
	if e.Offset > 0 {
		b.WriteString(" at byte ")
		b.WriteString(strconv.Itoa(e.Offset))
	}
	if e.Advice != "" {
		b.WriteString(": ")
		b.WriteString(e.Advice)
	}
	return b.String()
}

// ParseGroupVersion reads an apiVersion: "group/version", or a version alone, which is in the group
// with the blank name. It returns a [*ParseError] for a blank text, a blank group before a slash, a
// blank version, a second slash, white space, and characters that do not print.
func ParseGroupVersion(apiVersion string) (GroupVersion, error) {
	const what = "apiVersion"
	fail := func(offset int, reason string) (GroupVersion, error) {
		return GroupVersion{}, &ParseError{
			What: what, Input: apiVersion, Offset: offset, Reason: reason, Advice: adviceAPIVersion,
		}
	}
	group, version, slash := strings.Cut(apiVersion, "/")
	offset := len(group) + 1 // of the version
	if !slash {
		group, version, offset = "", apiVersion, 0
	}
	second := strings.IndexByte(version, '/')
	switch {
	case apiVersion == "":
		return fail(0, "it is blank")
	case second >= 0:
		return fail(offset+second, "there is more than one '/'")
	case slash && group == "":
		return fail(0, "the group before '/' is blank")
	case version == "":
		return fail(len(apiVersion), "the version after '/' is blank")
	}
	err := checkGroup(what, apiVersion, group, 0)
	if err == nil {
		err = checkName(what, apiVersion, version, offset)
	}
	if err != nil {
		return GroupVersion{}, advise(err, adviceAPIVersion)
	}
	return GroupVersion{Group: group, Version: version}, nil
}

// FromAPIVersionAndKind reads the two strings by which an object states its type. The error is a
// [*ParseError] whose field What is "apiVersion" or "kind", whichever is malformed. The result is
// blank if there is an error.
func FromAPIVersionAndKind(apiVersion, kind string) (GroupVersionKind, error) {
	gv, err := ParseGroupVersion(apiVersion)
	if err != nil {
		return GroupVersionKind{}, err
	}
	if err := checkUndotted("kind", kind, kind, 0); err != nil {
		return GroupVersionKind{}, advise(err, adviceKindName)
	}
	return gv.WithKind(kind), nil
}

// ParseGroupKind reads "Kind.group", or a kind alone, which is in the group with the blank name.
// The error is a [*ParseError].
func ParseGroupKind(s string) (GroupKind, error) {
	name, group, err := parseDotted("kind", s, adviceKind)
	return GroupKind{Group: group, Kind: name}, err
}

// ParseGroupResource reads "resource.group", or a resource alone, which is in the group with the
// blank name. The error is a [*ParseError].
func ParseGroupResource(s string) (GroupResource, error) {
	name, group, err := parseDotted("resource", s, adviceResource)
	return GroupResource{Group: group, Resource: name}, err
}

// ParseResourceArg reads what people write for a resource on a command line: "resource",
// "resource.group" or "resource.version.group". Groups contain dots too, so a text with two dots or
// more can be read in both of the latter ways. Then gvr is the reading with a version, and gr the
// one without. Look up gvr among the existing resources first and fall back to gr. With fewer dots
// gvr is nil.
//
//	machines                       nil                                  machines
//	machines.fleet                 nil                                  machines in fleet
//	machines.v1.fleet.example.com  machines in v1 of fleet.example.com  machines in v1.fleet.example.com
//
// The error is a [*ParseError].
func ParseResourceArg(arg string) (gvr *GroupVersionResource, gr GroupResource, err error) {
	name, rest, err := parseDotted("resource argument", arg, adviceResourceArg)
	if err != nil {
		return nil, GroupResource{}, err
	}
	if version, group, ok := strings.Cut(rest, "."); ok {
		gvr = &GroupVersionResource{Group: group, Version: version, Resource: name}
	}
	return gvr, GroupResource{Group: rest, Resource: name}, nil
}

// ParseKindArg reads what people write for a kind on a command line: "Kind", "Kind.group" or
// "Kind.version.group". The two results have the same meaning as those of [ParseResourceArg].
func ParseKindArg(arg string) (gvk *GroupVersionKind, gk GroupKind, err error) {
	name, rest, err := parseDotted("kind argument", arg, adviceKindArg)
	if err != nil {
		return nil, GroupKind{}, err
	}
	if version, group, ok := strings.Cut(rest, "."); ok {
		gvk = &GroupVersionKind{Group: group, Version: version, Kind: name}
	}
	return gvk, GroupKind{Group: rest, Kind: name}, nil
}

// parseDotted splits a text at its first dot and checks both parts.
func parseDotted(what, s, advice string) (name, group string, err error) {
	name, group, dot := strings.Cut(s, ".")
	if err := checkName(what, s, name, 0); err != nil {
		return "", "", advise(err, advice)
	}
	if !dot {
		return name, "", nil
	}
	if group == "" {
		return "", "", &ParseError{
			What: what, Input: s, Offset: len(s), Reason: "the group after '.' is blank",
			Advice: advice,
		}
	}
	if err := checkGroup(what, s, group, len(name)+1); err != nil {
		return "", "", advise(err, advice)
	}
	return name, group, nil
}

// checkName checks the part of the input that starts at an offset and should be a name. A name must
// not be blank or contain white space, a slash, or characters that do not print.
func checkName(what, input, part string, offset int) error {
	if part == "" {
		return &ParseError{What: what, Input: input, Offset: offset, Reason: "the name is blank"}
	}
	for i, r := range part {
		var reason string
		switch {
		case ' ' < r && r < 0x7f && r != '/': // nearly all names have only such characters
			continue
		case r == '/':
			reason = "'/' is not allowed"
		case r == utf8.RuneError && !strings.HasPrefix(part[i:], "\uFFFD"):
			reason = "the text is not valid UTF-8"
		case r == ' ' || !strconv.IsPrint(r): // IsPrint rejects all other white space and control characters
			reason = strconv.QuoteRuneToASCII(r) + " is not allowed"
		default:
			continue
		}
		return &ParseError{What: what, Input: input, Offset: offset + i, Reason: reason}
	}
	return nil
}

// checkUndotted is checkName for names that become the first part of a dotted text.
func checkUndotted(what, input, part string, offset int) error {
	if err := checkName(what, input, part, offset); err != nil {
		return err
	}
	if i := strings.IndexByte(part, '.'); i >= 0 {
		return &ParseError{What: what, Input: input, Offset: offset + i, Reason: "'.' is not allowed"}
	}
	return nil
}

// checkGroup is checkName for a group, which may be blank and consists of names separated by dots.
func checkGroup(what, input, part string, offset int) error {
	if part == "" {
		return nil
	}
	if err := checkName(what, input, part, offset); err != nil {
		return err
	}
	for start := 0; ; {
		label, _, dot := strings.Cut(part[start:], ".")
		if label == "" {
			return &ParseError{What: what, Input: input, Offset: offset + start, Reason: "a part between dots is blank"}
		}
		if !dot {
			return nil
		}
		start += len(label) + 1
	}
}

// advise adds the advice to an error of the checks.
func advise(err error, advice string) error {
	if e, ok := err.(*ParseError); ok {
		e.Advice = advice
	}
	return err
}
