//go:build unix && !linux

package capture

func zombie(int) bool { return false }
