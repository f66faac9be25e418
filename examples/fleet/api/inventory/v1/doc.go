// Package v1 is version v1 of the API group inventory.example.com: the machines of a fleet as the
// books know them, and the sites where they stand.
//
// [Machine] holds the same data as the Machine of fleet.example.com, seen from another side. A
// marker says so, and functions are generated that convert one to the other. A client can therefore
// ask for a machine of the fleet as one of the inventory, and the other way round.
//
// +groupName=inventory.example.com
package v1
