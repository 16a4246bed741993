package hapax

import (
	"fmt"
	"net"
	"regexp"
	"strings"

	"google.golang.org/grpc"
	"google.golang.org/grpc/resolver"
	"google.golang.org/grpc/resolver/manual"
)

var addressPattern = regexp.MustCompile(`^([^:/\s\[\]]+|\[[^\[\]]+\]):[1-9]\d{0,4}$`)

// targetsOf reads HOST:PORT, or a list of them; https:// before one of them is for all.
func targetsOf(server string) ([]string, error) {
	if strings.Contains(server, "http://") {
		return nil, fmt.Errorf("the server must be HOST:PORT, without http:// (was %s)", server)
	}
	targets := strings.Split(strings.ReplaceAll(server, "https://", ""), ",")
	for i, target := range targets {
		targets[i] = strings.TrimSpace(target)
		if len(targets) > 1 && !addressPattern.MatchString(targets[i]) {
			return nil, fmt.Errorf("the server must be HOST:PORT, or a list HOST:PORT,HOST:PORT (was %s)", server)
		}
	}
	return targets, nil
}

// resolverOf returns how gRPC finds the servers, and the target that it dials.
func resolverOf(targets []string) (grpc.DialOption, string) {
	list := manual.NewBuilderWithScheme("list")
	if len(targets) > 1 {
		addresses := make([]resolver.Address, len(targets))
		for i, target := range targets {
			addresses[i] = resolver.Address{Addr: target, ServerName: target} // by which its certificate is checked
		}
		list.InitialState(resolver.State{Addresses: addresses})
		return grpc.WithResolvers(list), "list:///" + targets[0]
	}
	target := targets[0]
	if scheme, _, _ := strings.Cut(target, ":"); resolver.Get(scheme) == nil {
		target = "dns:///" + target // grpc.Dial would connect to the first address of the name only
	}
	return grpc.WithResolvers(list), target
}

func areLoopback(targets []string) bool {
	for _, target := range targets {
		host, _, err := net.SplitHostPort(target)
		if err != nil {
			host = strings.Trim(target, "[]")
		}
		if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
			return false
		}
	}
	return true
}
