// The messages of the API, which kits/go/generate writes here.
module hapax.dev/api

go 1.19

require google.golang.org/protobuf v1.31.0
