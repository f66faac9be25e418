// Package v1 is version v1 of the API group inventory.example.com: the inventory records of the
// machines of a fleet, and their sites.
//
// [Machine] represents the same machines as the Machine of fleet.example.com. A marker declares
// this, and the generator writes functions that convert one to the other. So a client can request a
// machine of the fleet as one of the inventory, and vice versa.
//
// +groupName=inventory.example.com
package v1
