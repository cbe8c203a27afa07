//go:build !unix

package bench

import "os"

// PeakMemory is not known on this system: the process's accounting has no peak.
func PeakMemory(*os.ProcessState) int64 { return 0 }
