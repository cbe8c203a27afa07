package lockfile

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
)

// roles are what this test binary does as a process of its own, by the first word of LOCKFILE_TEST_ROLE; the second is a
// path.
var roles = map[string]func(path string) error{
	"write":  writeForever,
	"update": updateOften,
}

func TestMain(m *testing.M) {
	if role, path, ok := strings.Cut(os.Getenv("LOCKFILE_TEST_ROLE"), " "); ok {
		if err := roles[role](path); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// start runs this binary in a role. Its output is what it prints.
func start(t *testing.T, role, path string) (cmd *exec.Cmd, output *bufio.Reader) {
	t.Helper()
	cmd = exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "LOCKFILE_TEST_ROLE="+role+" "+path)
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd, bufio.NewReader(pipe)
}

// writeForever writes two contracts in turns and tells each time.
func writeForever(path string) error {
	files := [2]*File{large("a"), large("b")}
	for i := 0; ; i++ {
		if _, err := WriteFile(path, files[i%2]); err != nil {
			return err
		}
		fmt.Println("written")
	}
}

func large(text string) *File {
	s := &Server{}
	for i := range 200 {
		s.SetEntry(KindTool, fmt.Sprintf("tool%03d", i), EntryOf(map[string]any{
			"description": strings.Repeat(text, 500), "inputSchema": map[string]any{},
		}))
	}
	return &File{Servers: map[string]*Server{text: s}}
}

// TestKilledWriter kills writers at many moments: the file is one of the two contracts, whole, and the next writer leaves
// no temporary file.
func TestKilledWriter(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), DefaultName)
	want := map[string]bool{string(format(t, large("a"))): true, string(format(t, large("b"))): true}
	random := rand.New(rand.NewPCG(1, 2))
	torn := 0
	for round := range 40 {
		cmd, output := start(t, "write", path)
		for range 1 + random.IntN(3) {
			if line, err := output.ReadString('\n'); err != nil || line != "written\n" {
				t.Fatalf("writer says %q, %v", line, err)
			}
		}
		for range random.IntN(20_000) { // some milliseconds at most
			runtime.Gosched()
		}
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		data, err := os.ReadFile(path)
		if err != nil || !want[string(data)] {
			t.Fatalf("round %d: after a kill the file has %d bytes, %v", round, len(data), err)
		}
		left, _ := os.ReadDir(filepath.Dir(path))
		torn += len(left) - 1
	}
	t.Logf("%d of 40 kills hit a writer between creating its temporary file and renaming it", torn)
	if _, err := WriteFile(path, large("last")); err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(filepath.Dir(path)); err != nil || len(left) != 1 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

const updates = 25 // per writer

// updateOften adds servers one by one, under names that begin with this process's id.
func updateOften(path string) error {
	for i := range updates {
		_, changed, err := Update(path, func(f *File) error {
			f.Servers[fmt.Sprintf("server-%d-%d", os.Getpid(), i)] = &Server{Instructions: strings.Repeat("x", 10_000)}
			return nil
		})
		if err != nil || !changed {
			return fmt.Errorf("update %d: %v, %v", i, changed, err)
		}
	}
	return nil
}

// TestTwoWriters runs processes that add servers to one file: none is lost, and whoever reads meanwhile finds a whole file.
func TestTwoWriters(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), DefaultName)
	const writers = 3
	var group sync.WaitGroup
	done := make(chan struct{})
	for range writers {
		cmd, output := start(t, "update", path)
		group.Go(func() {
			said, _ := io.ReadAll(output)
			if err := cmd.Wait(); err != nil {
				t.Errorf("writer: %v, %s", err, said)
			}
		})
	}
	go func() {
		group.Wait()
		close(done)
	}()
	reads, most := 0, 0
	for running := true; running; {
		select {
		case <-done:
			running = false
		default:
			if runtime.GOOS == "windows" { // who reads all the time keeps the writers from replacing the file there
				<-done
			}
		}
		f, err := ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) && reads == 0 {
			continue
		}
		if err != nil || len(f.Servers) < most {
			t.Fatalf("read %d: %v", reads, err)
		}
		most = len(f.Servers)
		reads++
	}
	if most != writers*updates {
		t.Errorf("%d servers, want %d", most, writers*updates)
	}
	if left, err := os.ReadDir(filepath.Dir(path)); err != nil || len(left) != 1 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// TestConcurrentUpdates is the same inside of one process.
func TestConcurrentUpdates(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), DefaultName)
	var group sync.WaitGroup
	for i := range 16 {
		group.Go(func() {
			_, changed, err := Update(path, func(f *File) error {
				f.Servers[fmt.Sprintf("server%02d", i)] = &Server{Instructions: "x"}
				return nil
			})
			if err != nil || !changed {
				t.Errorf("Update = %v, %v", changed, err)
			}
		})
	}
	group.Wait()
	f, err := ReadFile(path)
	if err != nil || len(f.Servers) != 16 {
		t.Errorf("%v, %v", f, err)
	}
}
