package main

import (
	"fmt"
	"strings"

	metav1 "github.com/askind/askind/meta/v1"
)

// fieldSelector is a selector for the two fields that every object can be selected by.
type fieldSelector []fieldTerm

type fieldTerm struct {
	field, value string
	not          bool
}

// parseFieldSelector reads terms such as metadata.name=web-1, with commas between them. Other fields than the name and the namespace are an error,
// because a selector that is not heeded selects too much.
func parseFieldSelector(text string) (out fieldSelector, err error) {
	if text == "" {
		return nil, nil
	}
	for term := range strings.SplitSeq(text, ",") {
		t := fieldTerm{}
		var ok bool
		if t.field, t.value, ok = strings.Cut(term, "!="); ok {
			t.not = true
		} else if t.field, t.value, ok = strings.Cut(term, "="); ok {
			t.value = strings.TrimPrefix(t.value, "=")
		}
		switch {
		case !ok:
			return nil, metav1.BadRequest(fmt.Sprintf("fieldSelector: %q is not of the form field=value", term))
		case t.field != "metadata.name" && t.field != "metadata.namespace":
			return nil, metav1.BadRequest(fmt.Sprintf("fieldSelector: objects are not selected by %q, only by metadata.name and metadata.namespace", t.field))
		}
		out = append(out, t)
	}
	return out, nil
}

func (s fieldSelector) matches(m *metav1.ObjectMeta) bool {
	for _, t := range s {
		value := m.Name
		if t.field == "metadata.namespace" {
			value = m.Namespace
		}
		if (value == t.value) == t.not {
			return false
		}
	}
	return true
}
