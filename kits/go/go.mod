module hapax.dev/go

go 1.19

require (
	github.com/lib/pq v1.10.9
	google.golang.org/genproto/googleapis/rpc v0.0.0-20230711160842-782d3b101e98
	google.golang.org/grpc v1.58.3
	google.golang.org/protobuf v1.31.0
	hapax.dev/api v0.0.0
)

replace hapax.dev/api => ./api
