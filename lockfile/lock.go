package lockfile

import (
	"errors"
	"time"
)

// ErrBusy means that another process held the lock of the folder for too long.
var ErrBusy = errors.New("another process is writing in this folder")

// errNoLocks means that the file system or the system has no locks. Writes stay whole, but of two runs at once the later
// one wins.
var errNoLocks = errors.New("no locks here")

// lock waits for the exclusive lock that stands for the folder of target. It asks again and again instead of blocking in the
// system, so that a stuck process blocks nobody for ever.
func lock(target string) (unlock func(), err error) {
	const longest = 50 * time.Millisecond
	pause := time.Millisecond
	for range 600 { // half a minute
		unlock, err = tryLock(target)
		if !errors.Is(err, ErrBusy) {
			return unlock, err
		}
		time.Sleep(pause)
		pause = min(2*pause, longest)
	}
	return nil, ErrBusy
}
