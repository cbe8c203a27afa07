package hostile

import (
	"testing"

	"golang.org/x/sys/unix"
)

// watched counts how often a file was opened since the call; the system itself counts.
func watched(t *testing.T, path string) (opened func() int) {
	t.Helper()
	fd, err := unix.InotifyInit1(unix.IN_NONBLOCK | unix.IN_CLOEXEC)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Close(fd) })
	if _, err := unix.InotifyAddWatch(fd, path, unix.IN_OPEN|unix.IN_ACCESS); err != nil {
		t.Fatal(err)
	}
	return func() int {
		n, _ := unix.Read(fd, make([]byte, 64<<10)) // nothing to read is an error
		return max(n, 0) / unix.SizeofInotifyEvent
	}
}
