package auth

import (
	"crypto/sha256"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"
)

// Tokens finds users by the bearer token of the Authorization header. The map has users by their
// tokens. It is copied.
func Tokens(users map[string]User) Authenticator {
	t := make(tokens, len(users))
	for token, u := range users {
		t[sha256.Sum256([]byte(token))] = known(u)
	}
	return AuthenticatorFunc(t.authenticate)
}

// tokens are users by the hashes of their tokens, so that the time of a lookup reveals nothing
// about a token.
type tokens map[[sha256.Size]byte]*User

func (t tokens) authenticate(r *http.Request) (*User, error) {
	token, ok := bearer(r)
	if !ok {
		return nil, nil
	}
	if u := t[sha256.Sum256([]byte(token))]; u != nil {
		return u, nil
	}
	return nil, fmt.Errorf("%w: the bearer token is not known", ErrCredentials)
}

// bearer returns the bearer token of a request.
func bearer(r *http.Request) (token string, ok bool) {
	scheme, token, ok := strings.Cut(r.Header.Get("Authorization"), " ")
	token = strings.TrimSpace(token)
	return token, ok && strings.EqualFold(scheme, "Bearer") && token != ""
}

// TokenFile is [Tokens] from a file with one user a line, as comma-separated values: the token, the
// name, the UID and, if there are any, the groups in one quoted value with commas between them.
// Lines that begin with # are comments.
//
//	31ada4fd-adec-460c-809a-9e56ceb75269,anna,1,"system:masters,garage"
//
// The file is read again when it has changed, at most once a second. While it cannot be read, the
// users that were read last remain, and failed gets the error, once until another one occurs. It is
// called by the goroutine of a request; nil ignores the errors.
func TokenFile(path string, failed func(error)) (Authenticator, error) {
	f := &tokenFile{path: path, failed: failed}
	if err := f.read(); err != nil {
		return nil, err
	}
	return f, nil
}

// tokenFile is the state of a [TokenFile].
type tokenFile struct {
	path   string
	failed func(error) // may be nil

	mu      sync.Mutex
	failure string // of the last reading, or blank
	users   tokens
	stamp   fileStamp
	checked time.Time
}

// fileStamp identifies a state of a file.
type fileStamp struct {
	size     int64
	modified time.Time
}

// Authenticate implements [Authenticator].
func (f *tokenFile) Authenticate(r *http.Request) (*User, error) {
	if _, ok := bearer(r); !ok {
		return nil, nil
	}
	users, err := f.current()
	if err != nil && f.failed != nil {
		f.failed(err)
	}
	return users.authenticate(r)
}

// current returns the users of the file, and the error if they cannot be read again, unless it has
// been returned before.
func (f *tokenFile) current() (tokens, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if time.Since(f.checked) <= time.Second {
		return f.users, nil
	}
	err := f.readLocked()
	before := f.failure
	if f.failure = ""; err != nil {
		f.failure = err.Error()
	}
	if f.failure == before {
		err = nil
	}
	return f.users, err
}

func (f *tokenFile) read() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.readLocked()
}

// readLocked reads the file if it has changed. The lock is held.
func (f *tokenFile) readLocked() error {
	f.checked = time.Now()
	info, err := os.Stat(f.path)
	if err != nil {
		return err
	}
	stamp := fileStamp{info.Size(), info.ModTime()}
	if f.users != nil && stamp == f.stamp {
		return nil
	}
	file, err := os.Open(f.path)
	if err != nil {
		return err
	}
	defer file.Close()
	users, err := parseTokens(file)
	if err != nil {
		return fmt.Errorf("%s: %w", f.path, err)
	}
	f.users, f.stamp = users, stamp
	return nil
}

// parseTokens reads users from comma-separated values.
func parseTokens(r io.Reader) (tokens, error) {
	lines := csv.NewReader(r)
	lines.FieldsPerRecord, lines.Comment, lines.TrimLeadingSpace = -1, '#', true
	out := tokens{}
	for {
		fields, err := lines.Read()
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return nil, err
		}
		line, _ := lines.FieldPos(0)
		if len(fields) < 3 || len(fields) > 4 || fields[0] == "" || fields[1] == "" {
			return nil, fmt.Errorf("line %d: a line has a token, a name, a UID and perhaps groups", line)
		}
		u := User{Name: fields[1], UID: fields[2]}
		if len(fields) == 4 {
			for group := range strings.SplitSeq(fields[3], ",") {
				if group = strings.TrimSpace(group); group != "" {
					u.Groups = append(u.Groups, group)
				}
			}
		}
		key := sha256.Sum256([]byte(fields[0]))
		if out[key] != nil {
			return nil, fmt.Errorf("line %d: the token of %s is that of %s too", line, u.Name, out[key].Name)
		}
		out[key] = known(u)
	}
}
