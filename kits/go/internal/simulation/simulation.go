// Package simulation lets hapaxtest replace what a client has from outside.
package simulation

import (
	"time"

	"google.golang.org/grpc"
)

// Simulation stands for a server and its time.
type Simulation struct {
	Connection grpc.ClientConnInterface // instead of that of Options; variables of the process do not count
	Now        func() time.Time         // by which waits and pauses of runs are measured; nil = time.Now
	// BeforePart is called before each attempt of a part, with its full name. Its error is that of the body, which then does not
	// run. May be nil.
	BeforePart func(part string) error
}
