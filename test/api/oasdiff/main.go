// Command oasdiff prints what has changed for merchants between two OpenAPI documents, as a JSON array. It is the library of
// oasdiff with settings of ours: the command of that name needs modules that this one does not.
package main

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/oasdiff/oasdiff/checker"
	"github.com/oasdiff/oasdiff/diff"
	"github.com/oasdiff/oasdiff/load"
)

// change is one change that breaks a client; operation and path are empty where it concerns the whole document.
type change struct {
	ID        string `json:"id"`
	Operation string `json:"operation"`
	Path      string `json:"path"`
	Text      string `json:"text"`
}

func main() {
	if len(os.Args) != 3 {
		fail(fmt.Errorf("usage: oasdiff RELEASED CURRENT"))
	}
	changes, err := breakingChanges(os.Args[1], os.Args[2])
	if err != nil {
		fail(err)
	}
	if err := json.NewEncoder(os.Stdout).Encode(changes); err != nil {
		fail(err)
	}
}

func breakingChanges(released, current string) ([]change, error) {
	loader := openapi3.NewLoader()
	base, err := load.NewSpecInfo(loader, load.NewSource(released))
	if err != nil {
		return nil, err
	}
	revision, err := load.NewSpecInfo(loader, load.NewSource(current))
	if err != nil {
		return nil, err
	}
	difference, sources, err := diff.GetWithOperationsSourcesMap(diff.NewConfig(), base, revision)
	if err != nil {
		return nil, err
	}
	severity := checker.WithSeverityLevels(map[string]checker.Level{
		// The generated clients name their methods by it.
		checker.APIOperationIdRemovedId: checker.ERR,
		// A merchant may read a field that is not always there.
		checker.ResponseOptionalPropertyRemovedId: checker.ERR,
	})
	config := checker.NewConfig(checker.GetAllChecks(), severity)
	localizer := checker.NewDefaultLocalizer()
	breaking := []change{}
	for _, found := range checker.CheckBackwardCompatibility(config, difference, sources) {
		if found.IsBreaking() {
			text := found.GetUncolorizedText(localizer)
			breaking = append(breaking, change{found.GetId(), found.GetOperation(), found.GetPath(), text})
		}
	}
	return breaking, nil
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
