package model

import "regexp"

// link matches a doc link to an exported name: in brackets without a preceding letter or digit,
// unlike the index in conditions[Ready].
var link = regexp.MustCompile(`(^|[^\w\]])\[\*?((?:[\w./]+\.)?[A-Z]\w*(?:\.[A-Z]\w*)?)\]`)

// WithoutLinks returns the text of a comment without the brackets around names.
func WithoutLinks(text string) string { return link.ReplaceAllString(text, "$1$2") }
