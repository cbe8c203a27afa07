package awareness

import (
	"hash/maphash"
	"sync"
)

// repeats counts calls that failed before. It remembers a bounded number of hashes, never a value: a collision, which is
// unlikely enough, makes one text firmer than it should be.
type repeats struct {
	mu     sync.Mutex
	seed   maphash.Seed
	counts map[uint64]int
	order  []uint64 // ring of the hashes in counts
	next   int
}

const maxRepeats = 4096

func newRepeats() *repeats {
	return &repeats{seed: maphash.MakeSeed(), counts: map[uint64]int{}}
}

// seen counts a failing call and returns how often it had failed before.
func (r *repeats) seen(caller, tool string, arguments []byte) int {
	var hash maphash.Hash
	hash.SetSeed(r.seed)
	for _, part := range [...]string{caller, tool} {
		hash.WriteString(part)
		hash.WriteByte(0)
	}
	hash.Write(arguments)
	sum := hash.Sum64()
	r.mu.Lock()
	defer r.mu.Unlock()
	before, known := r.counts[sum]
	if !known {
		if len(r.order) < maxRepeats {
			r.order = append(r.order, sum)
		} else {
			delete(r.counts, r.order[r.next])
			r.order[r.next] = sum
			r.next = (r.next + 1) % maxRepeats
		}
	}
	r.counts[sum] = before + 1
	return before
}
