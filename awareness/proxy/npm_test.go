package proxy

// npm is the folder of installed packages.
var npm struct {
	dir string
}
