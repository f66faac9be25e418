// Package other has types that the matrix of shapes finds in another package, for which nothing is generated.
package other

import (
	"encoding/json"
	"errors"
	"strconv"
	"strings"
)

// Level is a number with a name.
type Level int32

// Plain has no methods.
type Plain struct {
	Text string   `json:"text"`
	List []string `json:"list,omitempty"`
}

// Dict is a map with a name.
type Dict map[string][]string

// Shared copies and writes itself.
type Shared struct{ words []string }

// Of returns a value with words.
func Of(words ...string) Shared { return Shared{words} }

// DeepCopyInto copies.
func (s *Shared) DeepCopyInto(out *Shared) {
	*out = Shared{}
	if s.words != nil {
		out.words = append([]string{}, s.words...)
	}
}

// MarshalJSON writes the words as one text.
func (s Shared) MarshalJSON() ([]byte, error) {
	if s.words == nil {
		return []byte("null"), nil
	}
	return json.Marshal(strings.Join(s.words, " "))
}

// UnmarshalJSON reads what MarshalJSON writes.
func (s *Shared) UnmarshalJSON(data []byte) error {
	var text *string
	if err := json.Unmarshal(data, &text); err != nil {
		return err
	}
	s.words = nil
	if text != nil {
		s.words = append([]string{}, strings.Fields(*text)...)
	}
	return nil
}

// Version is a text of its own.
type Version struct{ major, minor int }

// NewVersion returns a version.
func NewVersion(major, minor int) Version { return Version{major, minor} }

// MarshalText writes major.minor.
func (v Version) MarshalText() ([]byte, error) {
	return []byte(strconv.Itoa(v.major) + "." + strconv.Itoa(v.minor)), nil
}

// UnmarshalText reads what MarshalText writes.
func (v *Version) UnmarshalText(text []byte) (err error) {
	major, minor, ok := strings.Cut(string(text), ".")
	if !ok {
		return errors.New("a version is major.minor")
	}
	if v.major, err = strconv.Atoi(major); err != nil {
		return err
	}
	v.minor, err = strconv.Atoi(minor)
	return err
}

// Opaque hides a reference.
type Opaque struct {
	Text   string `json:"text"`
	secret map[string]string
}

// Secret returns what is hidden.
func (o *Opaque) Secret() map[string]string { return o.secret }

// Speaker is an interface.
type Speaker interface{ Speak() string }
