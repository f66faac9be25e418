package model

import "regexp"

// link matches a doc link to an exported name: in brackets, and with neither a letter nor a digit
// before them, unlike the index in conditions[Ready].
var link = regexp.MustCompile(`(^|[^\w\]])\[\*?((?:[\w./]+\.)?[A-Z]\w*(?:\.[A-Z]\w*)?)\]`)

// WithoutLinks is the text of a comment without the brackets around names.
func WithoutLinks(text string) string { return link.ReplaceAllString(text, "$1$2") }
