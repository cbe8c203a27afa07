package main

// limited has nothing like it here.
func limited() { panic("no limit of file sizes") }
