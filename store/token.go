package store

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"

	metav1 "github.com/askind/askind/meta/v1"
)

// A continue token says where the next page of a list begins: in base64, a format byte, the
// revision of the list, 0 for the latest, the first eight bytes of a hash of what is listed, and
// the last key that was looked at, without the prefix of the list. The revision makes the pages one
// list, on any replica and after a restart. The prefix is that of the request, so that a token of a
// client's own making reaches nothing that the request could not have listed.

const tokenFormat = 1

// token is a continue token.
type token struct {
	revision uint64
	list     [8]byte
	after    string
}

// identity returns a hash of what a list is about.
func (s *selection) identity(fields FieldSelector) (out [8]byte) {
	of := []string{s.prefix, s.labels.String(), fields.String(), s.name}
	if !s.shards.Empty() {
		of = append(of, s.shards.String())
	}
	sum := sha256.Sum256([]byte(strings.Join(of, "\x00")))
	copy(out[:], sum[:])
	return out
}

func (t token) String() string {
	b := binary.AppendUvarint([]byte{tokenFormat}, t.revision)
	b = append(b, t.list[:]...)
	return base64.RawURLEncoding.EncodeToString(append(b, t.after...))
}

// parseToken reads a token for a list.
func parseToken(text string, list [8]byte) (token, error) {
	t, err := decodeToken(text)
	if err == nil && t.list != list {
		err = errors.New("it belongs to another list; keep the other parameters of the first page")
	}
	if err != nil {
		return t, invalidOption("continue", "the token cannot be used: "+err.Error())
	}
	return t, nil
}

func decodeToken(text string) (t token, err error) {
	broken := errors.New("this server has not issued it; list from the beginning")
	if len(text) > 4*MaxKey {
		return t, broken
	}
	b, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil || len(b) == 0 {
		return t, broken
	}
	if b[0] != tokenFormat {
		return t, fmt.Errorf("its format %d is unknown; list from the beginning", b[0])
	}
	revision, n := binary.Uvarint(b[1:])
	if n <= 0 || len(b) < 1+n+len(t.list)+1 || revision > 1<<63-1 {
		return t, broken
	}
	t.revision = revision
	rest := b[1+n:]
	t.after = string(rest[copy(t.list[:], rest):])
	return t, nil
}

// outdated returns the error for a token whose revision has left the history. It contains a token
// that continues the list at the latest revision.
func (t token) outdated() error {
	e := failure(metav1.StatusReasonExpired,
		"the continue token is too old, and the state that it refers to is no longer kept: list from the beginning "+
			"or, if pages may show different states, continue with the token in metadata.continue", ErrCompacted)
	t.revision = 0
	e.Status.Continue = t.String()
	return e
}
