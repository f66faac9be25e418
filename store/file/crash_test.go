package file_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/askind/askind/store"
	"github.com/askind/askind/store/file"
	bolt "go.etcd.io/bbolt"
)

var long = flag.Bool("long", false, "kill the process a thousand times")

// childVariable makes the test binary the process that is killed.
const childVariable = "STORE_FILE_CHILD"

func TestMain(m *testing.M) {
	if path := os.Getenv(childVariable); path != "" {
		if err := child(path, os.Getenv(childVariable+"_LIMIT")); err != nil {
			fmt.Println("error:", err)
		}
		return
	}
	os.Exit(m.Run())
}

// child writes to a file without end, several goroutines at a time, and prints each write that has
// returned. The limit says whether the disk has room for writes or not even for a new file.
func child(path, limit string) error {
	if limit == "new" {
		if err := limitSize(6000); err != nil {
			return err
		}
	}
	e, err := file.Open(path)
	if err != nil {
		return err
	}
	if limit == "writes" {
		info, err := os.Stat(path)
		if err == nil {
			err = limitSize(uint64(info.Size()) + 64<<10)
		}
		if err != nil {
			return err
		}
	}
	var out sync.Mutex
	var wg sync.WaitGroup
	var failure error
	for w := range 8 {
		wg.Go(func() {
			err := childWrites(e, fmt.Sprint("k", w), func(line string) {
				out.Lock()
				defer out.Unlock()
				fmt.Println(line)
			})
			out.Lock()
			defer out.Unlock()
			failure = errors.Join(failure, err)
		})
	}
	wg.Go(func() {
		for {
			r, err := e.Revision(context.Background())
			if err == nil {
				err = e.Compact(context.Background(), r-min(r, 50))
			}
			if err != nil {
				return
			}
			time.Sleep(3 * time.Millisecond)
		}
	})
	wg.Wait()
	if _, err := e.Revision(context.Background()); !errors.Is(err, store.ErrClosed) {
		return fmt.Errorf("the engine goes on after a failed write: %v", err)
	}
	return failure
}

// childWrites counts up under one key, and deletes it from time to time.
func childWrites(e *file.Engine, key string, print func(string)) error {
	ctx := context.Background()
	for {
		got, err := e.Get(ctx, key)
		if err != nil {
			return err
		}
		n := 0
		if got.Value != nil {
			if _, err := fmt.Sscanf(string(got.Value), "%d ", &n); err != nil {
				return err
			}
		}
		if n++; n%17 == 0 && got.Value != nil {
			revision, err := e.Delete(ctx, key, got.Revision)
			if err != nil {
				return err
			}
			print(fmt.Sprintf("ack %s %d %d", key, revision, 0))
			continue
		}
		value := fmt.Sprintf("%d %s", n, strings.Repeat("x", n*37%3000))
		revision, err := e.Put(ctx, key, []byte(value), got.Revision)
		if err != nil {
			return err
		}
		print(fmt.Sprintf("ack %s %d %d", key, revision, n))
	}
}

// runChild runs the child until it ends or, unless life is 0, is killed after that time. It returns
// the last acknowledged revision of each key.
func runChild(t *testing.T, path string, life time.Duration, env ...string) (acked map[string]uint64, failure string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(append(os.Environ(), childVariable+"="+path), env...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	acked = map[string]uint64{}
	lines := bufio.NewScanner(out)
	killed := false
	for lines.Scan() {
		if life > 0 && !killed {
			killed = true
			time.AfterFunc(life, func() { _ = cmd.Process.Kill() })
		}
		var key string
		var revision uint64
		var n int
		if _, err := fmt.Sscanf(lines.Text(), "ack %s %d %d", &key, &revision, &n); err == nil {
			acked[key] = max(acked[key], revision)
		} else if strings.HasPrefix(lines.Text(), "error:") {
			failure = lines.Text()
		}
	}
	_ = cmd.Wait() // it was killed
	return acked, failure
}

// check opens a file and compares it with what was acknowledged. It returns the revision.
func check(t *testing.T, path string, acked map[string]uint64) uint64 {
	t.Helper()
	e, err := file.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	if err := e.Verify(t.Context()); err != nil {
		t.Fatal(err)
	}
	now, err := e.Revision(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	info, err := e.Info(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	gone := map[string]uint64{}
	ctx, cancel := context.WithCancel(t.Context())
	if err := e.Watch(ctx, "", 0, func(c store.Changes) error {
		for _, change := range c.List {
			if change.Value == nil {
				gone[change.Key] = change.Revision
			}
		}
		cancel()
		return nil
	}); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	for key, revision := range acked {
		got, err := e.Get(t.Context(), key)
		if err != nil {
			t.Fatal(err)
		}
		// A key that is not there was deleted later, which is an event unless that has been
		// forgotten.
		known := max(got.Revision, gone[key])
		if known < revision && (got.Value != nil || revision > info.Floor) || now < revision {
			t.Errorf("%s was acknowledged at %d; it is at %d, the file at %d", key, revision, known, now)
		}
	}
	return now
}

// Every write that has returned survives kill -9, at whatever time it comes, and revisions never go
// back.
func TestKill(t *testing.T) {
	t.Parallel()
	rounds := 5
	if *long {
		rounds = 1000
	}
	path := filepath.Join(t.TempDir(), "db")
	last := uint64(0)
	total := 0
	for round := range rounds {
		acked, failure := runChild(t, path, time.Duration(1+rand.IntN(60))*time.Millisecond)
		if failure != "" {
			t.Fatalf("round %d: %s", round, failure)
		}
		now := check(t, path, acked)
		if now < last {
			t.Fatalf("round %d: the revision went back from %d to %d", round, last, now)
		}
		total += len(acked)
		last = now
	}
	if total == 0 {
		t.Error("nothing was written in any round")
	}
}

// copyFile copies a file.
func copyFile(t *testing.T, from, to string) {
	t.Helper()
	data, err := os.ReadFile(from)
	if err == nil {
		err = os.WriteFile(to, data, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// If the page that makes a write take effect is torn, the file is what it was before the write.
func TestTornPage(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "db")
	e, err := file.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	last := uint64(0)
	for i := range 20 {
		before := last
		if last, err = e.Put(t.Context(), "k", fmt.Append(nil, "value ", i), last); err != nil {
			t.Fatal(err)
		}
		copied := fmt.Sprint(path, i)
		copyFile(t, path, copied)
		tearNewest(t, copied)
		torn := open(t, copied)
		got, err := torn.Get(t.Context(), "k")
		if err != nil || got.Revision != before && got.Revision != last {
			t.Fatalf("write %d: at %d, %v; want %d", i, got.Revision, err, before)
		}
		if err := torn.Verify(t.Context()); err != nil {
			t.Error(err)
		}
		if i > 0 && got.Revision == last {
			t.Errorf("write %d took effect although its page is torn", i)
		}
	}
}

// tearNewest overwrites the second half of the newer one of the two pages that say where everything
// is.
func tearNewest(t *testing.T, path string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	size := int64(os.Getpagesize())
	const header, txid = 16, 48 // where the fields are in such a page
	var ids [2]uint64
	for i := range ids {
		var b [8]byte
		if _, err := f.ReadAt(b[:], int64(i)*size+header+txid); err != nil {
			t.Fatal(err)
		}
		ids[i] = binary.LittleEndian.Uint64(b[:])
	}
	page := int64(0)
	if ids[1] > ids[0] {
		page = 1
	}
	if _, err := f.WriteAt(make([]byte, 64), page*size+header+24); err != nil {
		t.Fatal(err)
	}
}

// Damage is found, and is an error rather than a panic or a wrong answer.
func TestDamage(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "db")
	e, err := file.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{}
	for i := range 300 {
		key, value := fmt.Sprintf("key-%03d", i), strings.Repeat(fmt.Sprintf("value-%03d ", i), 20)
		want[key] = value
		if _, err := e.Put(t.Context(), key, []byte(value), 0); err != nil {
			t.Fatal(err)
		}
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 2))
	cases := 60
	if *long {
		cases = 5000
	}
	for i := range cases {
		data := append([]byte(nil), whole...)
		switch i % 3 {
		case 0: // a byte
			data[random.IntN(len(data))] ^= byte(1 + random.IntN(255))
		case 1: // a page
			at := random.IntN(len(data)/4096) * 4096
			clear(data[at : at+4096])
		case 2: // the end
			data = data[:random.IntN(len(data))]
		}
		damaged := filepath.Join(dir, fmt.Sprint("damaged", i))
		if err := os.WriteFile(damaged, data, 0o600); err != nil {
			t.Fatal(err)
		}
		readDamaged(t, damaged, want)
		if err := os.Remove(damaged); err != nil {
			t.Fatal(err)
		}
	}
}

// readDamaged reads a file that may be damaged: every value that it gets must be right.
func readDamaged(t *testing.T, path string, want map[string]string) {
	t.Helper()
	e, err := file.Open(path, file.ReadOnly())
	if err != nil {
		return
	}
	defer e.Close()
	_ = e.Verify(t.Context())
	page, err := e.List(t.Context(), "", store.RangeOptions{})
	if err != nil {
		return
	}
	for _, kv := range page.Items {
		if want[kv.Key] != string(kv.Value) {
			t.Errorf("%s has a wrong value", kv.Key)
		}
	}
}

func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, content string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	used := filepath.Join(dir, "used")
	open(t, used)
	// with returns a file with another number in its meta data.
	with := func(name, key string, number uint64) string {
		path := filepath.Join(dir, name)
		if err := open(t, path).Close(); err != nil {
			t.Fatal(err)
		}
		db, err := bolt.Open(path, 0o600, nil)
		if err == nil {
			err = errors.Join(db.Update(func(tx *bolt.Tx) error {
				return tx.Bucket([]byte("meta")).Put([]byte(key), binary.BigEndian.AppendUint64(nil, number))
			}), db.Close())
		}
		if err != nil {
			t.Fatal(err)
		}
		return path
	}
	foreign := filepath.Join(dir, "foreign")
	db, err := bolt.Open(foreign, 0o600, nil)
	if err == nil {
		err = errors.Join(db.Update(func(tx *bolt.Tx) error {
			b, err := tx.CreateBucket([]byte("theirs"))
			if err == nil {
				err = b.Put([]byte("large"), make([]byte, 8<<20))
			}
			return err
		}), db.Update(func(tx *bolt.Tx) error { // now most of it is free
			return tx.Bucket([]byte("theirs")).Delete([]byte("large"))
		}), db.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	newFile := filepath.Join(dir, "new")
	if err := open(t, newFile).Close(); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(newFile)
	if err != nil {
		t.Fatal(err)
	}
	beginning := string(whole[:6000])
	if err := file.Compact(write("empty2", "")); !errors.Is(err, file.ErrFormat) {
		t.Errorf("Compact of an empty file: %v", err)
	}
	for _, tt := range []struct {
		name, path string
		opts       []file.Option
		want       error
		text       string
	}{
		{"another kind of file", write("text", strings.Repeat("text ", 10_000)), nil, file.ErrFormat, ""},
		{"a database of another program", foreign, nil, file.ErrFormat, "another program"},
		{"a newer format", with("newer", "format", 2), nil, file.ErrFormat, "use a newer"},
		{"a newer format, for reading", with("newer2", "format", 9), []file.Option{file.ReadOnly()}, file.ErrFormat, "format 9"},
		{"an older format", with("older", "format", 0), nil, file.ErrFormat, "format 0"},
		{"no revision", with("zero", "revision", 0), nil, file.ErrDamaged, "it has no revision"},
		{"a file that is too short", write("short", "short"), nil, file.ErrFormat, "invalid"},
		{"an empty file, for reading", write("empty", ""), []file.Option{file.ReadOnly()}, file.ErrFormat, "empty"},
		{"the beginning of a file", write("begin", beginning), nil, file.ErrDamaged, "it ends after 6000 bytes"},
		{"a file in use", used, nil, file.ErrInUse, "another process"},
		{"a file in use, after a wait", used, []file.Option{file.Wait(10 * time.Millisecond)}, file.ErrInUse, ""},
		{"a directory", dir, nil, nil, "directory"},
		{"a directory that is not there", filepath.Join(dir, "no", "db"), nil, os.ErrNotExist, ""},
		{"nothing, for reading", filepath.Join(dir, "nothing"), []file.Option{file.ReadOnly()}, os.ErrNotExist, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			before, _ := os.ReadFile(tt.path)
			e, err := file.Open(tt.path, tt.opts...)
			if err == nil {
				e.Close()
				t.Fatal("no error")
			}
			if strings.Count(err.Error(), tt.path) != 1 {
				t.Errorf("%v does not have the path once", err)
			}
			if tt.opts == nil {
				err := file.Compact(tt.path)
				if err == nil || tt.want != nil && !errors.Is(err, tt.want) || !strings.Contains(err.Error(), tt.path) {
					t.Errorf("Compact: %v", err)
				}
			}
			if after, _ := os.ReadFile(tt.path); !bytes.Equal(before, after) {
				t.Error("the file was changed")
			}
			if tt.want != nil && !errors.Is(err, tt.want) || !strings.Contains(err.Error(), tt.text) ||
				!strings.Contains(err.Error(), tt.path) {
				t.Errorf("error %v", err)
			}
		})
	}
}

func TestReadOnly(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "db")
	e := open(t, path)
	r, err := e.Put(t.Context(), "a", []byte("1"), 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	first, second := open(t, path, file.ReadOnly()), open(t, path, file.ReadOnly())
	for _, e := range []*file.Engine{first, second} {
		if got, err := e.Get(t.Context(), "a"); err != nil || got.Revision != r {
			t.Errorf("%+v, %v", got, err)
		}
		if _, err := e.Put(t.Context(), "a", []byte("2"), r); !errors.Is(err, store.ErrReadOnly) ||
			!strings.Contains(err.Error(), "reading only") {
			t.Errorf("error %v", err)
		}
		if _, err := e.Put(t.Context(), "a", []byte("2"), 0); !errors.Is(err, store.ErrConflict) {
			t.Errorf("error %v", err)
		}
		if _, err := e.Delete(t.Context(), "b", 0); !errors.Is(err, store.ErrConflict) {
			t.Errorf("error %v", err)
		}
		if err := e.Compact(t.Context(), r); !errors.Is(err, store.ErrReadOnly) {
			t.Errorf("error %v", err)
		}
	}
}

// A file that its owner may not write is opened for reading only, and the error says so.
func TestOpenWithoutPermission(t *testing.T) {
	t.Parallel()
	if os.Geteuid() == 0 {
		t.Skip("root may write every file")
	}
	path := filepath.Join(t.TempDir(), "db")
	if err := open(t, path).Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, 0o400); err != nil {
		t.Fatal(err)
	}
	if _, err := file.Open(path); !errors.Is(err, os.ErrPermission) || !strings.Contains(err.Error(), "file.ReadOnly") {
		t.Errorf("error %v", err)
	}
	open(t, path, file.ReadOnly()).Close()
	if err := os.Chmod(path, 0); err != nil {
		t.Fatal(err)
	}
	if _, err := file.Open(path, file.ReadOnly()); !errors.Is(err, os.ErrPermission) ||
		strings.Contains(err.Error(), "file.ReadOnly") {
		t.Errorf("error %v", err)
	}
}

// A process that waits for a file while another one rewrites it gets the new file. The lock on the
// old one, which has no name any more, would let it write what nobody reads.
func TestReplacedWhileWaiting(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "db")
	first := open(t, path)
	type opened struct {
		e   *file.Engine
		err error
	}
	second := make(chan opened)
	go func() {
		e, err := file.Open(path, file.Wait(time.Minute))
		second <- opened{e, err}
	}()
	time.Sleep(100 * time.Millisecond) // it waits for the lock of the old file
	copyFile(t, path, path+".new")
	if err := os.Rename(path+".new", path); err != nil {
		t.Fatal(err)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	got := <-second
	if got.err != nil {
		t.Fatal(got.err)
	}
	revision, err := got.e.Put(t.Context(), "k", []byte("v"), 0)
	if err := errors.Join(err, got.e.Close()); err != nil {
		t.Fatal(err)
	}
	if kv, err := open(t, path).Get(t.Context(), "k"); err != nil || kv.Revision != revision {
		t.Errorf("what was written at %d is at %d, %v", revision, kv.Revision, err)
	}
}

// A rewrite keeps a link to the file, and who may read it.
func TestRewriteKeepsLinkAndMode(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path, link := filepath.Join(dir, "data", "db"), filepath.Join(dir, "link")
	if err := errors.Join(os.Mkdir(filepath.Dir(path), 0o700), os.Symlink(path, link)); err != nil {
		t.Skip(err)
	}
	e := open(t, link)
	if _, err := e.Put(t.Context(), "k", []byte("v"), 0); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(e.Close(), os.Chmod(path, 0o640)); err != nil {
		t.Fatal(err)
	}
	before, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := file.Compact(link); err != nil {
		t.Fatal(err)
	}
	after, err := os.Stat(path)
	if err != nil || os.SameFile(before, after) || after.Mode() != before.Mode() {
		t.Errorf("the file is %v after %v, %v; want another one of the same mode", after.Mode(), before.Mode(), err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is %v, %v", info.Mode(), err)
	}
	if got, err := open(t, link).Get(t.Context(), "k"); err != nil || string(got.Value) != "v" {
		t.Errorf("%+v, %v", got, err)
	}
}

// Compact does not create a file, continues after a rewrite that was interrupted, and says why it
// could not rewrite.
func TestCompactFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	missing := filepath.Join(dir, "missing")
	if err := file.Compact(missing); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file that is not there: %v", err)
	}
	if _, err := os.Stat(missing); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("it was created: %v", err)
	}
	path := filepath.Join(dir, "db")
	if err := open(t, path).Close(); err != nil {
		t.Fatal(err)
	}
	copyFile(t, path, path+".rewrite")
	if err := file.Compact(path); err != nil {
		t.Errorf("after an interrupted rewrite: %v", err)
	}
	// A directory of that name cannot be removed.
	if err := errors.Join(os.Mkdir(path+".rewrite", 0o700), os.WriteFile(path+".rewrite/x", nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	if err := file.Compact(path); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("where the new file cannot be written: %v", err)
	}
}

// After much has been deleted, the file becomes small when it is opened again, but not by one who
// only reads it.
func TestFileShrinks(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "db")
	e := open(t, path, file.Sync(-1))
	value := []byte(strings.Repeat("x", 10_000))
	var revisions []uint64
	for i := range 2000 {
		r, err := e.Put(t.Context(), fmt.Sprint("k", i), value, 0)
		if err != nil {
			t.Fatal(err)
		}
		revisions = append(revisions, r)
	}
	last := uint64(0)
	for i, r := range revisions[:1900] {
		var err error
		if last, err = e.Delete(t.Context(), fmt.Sprint("k", i), r); err != nil {
			t.Fatal(err)
		}
	}
	if err := e.Compact(t.Context(), last); err != nil {
		t.Fatal(err)
	}
	forgotten(t, e)
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	large, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := open(t, path, file.ReadOnly()).Close(); err != nil {
		t.Fatal(err)
	}
	if after, err := os.Stat(path); err != nil || !os.SameFile(large, after) {
		t.Errorf("reading has replaced the file: %v", err)
	}
	e = open(t, path)
	info, err := e.Info(t.Context())
	if err != nil || info.Objects != 100 || info.Revision != last || info.Size > 2*info.ObjectBytes+1<<20 {
		t.Errorf("%+v, %v", info, err)
	}
	if err := e.Verify(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestForgettingGoesOn checks that changes which were to be forgotten when the file was closed are
// forgotten after it has been opened again.
func TestForgettingGoesOn(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "db")
	e := open(t, path, file.Sync(-1))
	last := uint64(0)
	for range 5000 { // more than are removed at once
		var err error
		if last, err = e.Put(t.Context(), "k", []byte("v"), last); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(e.Compact(t.Context(), last), e.Close()); err != nil {
		t.Fatal(err)
	}
	forgotten(t, open(t, path))
}

// forgotten waits until a file has no changes any more, which are removed little by little.
func forgotten(t *testing.T, e *file.Engine) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		info, err := e.Info(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if info.Events == 0 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d changes are left", info.Events)
		}
	}
}

// TestFreeSpaceOfReaders checks that a file that is opened for reading only, as the command inspect
// does, shows its free space, which was always 0. A file of this size is not rewritten to become
// smaller.
func TestFreeSpaceOfReaders(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "db")
	e := open(t, path)
	r, err := e.Put(t.Context(), "k", make([]byte, 1<<20), 0)
	if err == nil {
		r, err = e.Delete(t.Context(), "k", r)
	}
	if err == nil {
		err = e.Compact(t.Context(), r)
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	for _, opts := range [][]file.Option{nil, {file.ReadOnly()}} {
		e := open(t, path, opts...)
		if info, err := e.Info(t.Context()); err != nil || info.Free < 1<<20 {
			t.Errorf("%+v, %v; want a mebibyte of free space", info, err)
		}
		if err := e.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
