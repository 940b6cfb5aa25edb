package main

import (
	"debug/buildinfo"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"time"
)

// components returns an SPDX document of what a program is built from, by the list that
// the program itself carries.
func (r *release) components(path string, t target) ([]byte, error) {
	info, err := buildinfo.ReadFile(path)
	if err != nil {
		return nil, err
	}
	program, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	type object = map[string]any
	component := func(id, name, version, license string) object {
		return object{
			"SPDXID": id, "name": name, "versionInfo": version, "downloadLocation": "NOASSERTION", "filesAnalyzed": false,
			"licenseConcluded": license, "licenseDeclared": license, "copyrightText": "NOASSERTION",
		}
	}
	reference := func(kind, name, version string) []object {
		return []object{{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": "pkg:" + kind + "/" + name + "@" + version}}
	}
	arena := component("SPDXRef-arena", "arena", r.version, "Apache-2.0")
	arena["primaryPackagePurpose"] = "APPLICATION"
	arena["checksums"] = []object{{"algorithm": "SHA256", "checksumValue": digest(program)[len("sha256:"):]}}
	arena["comment"] = "built for " + t.String() + " from commit " + r.commit
	packages := []object{arena}
	relations := []object{{"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES", "relatedSpdxElement": "SPDXRef-arena"}}
	add := func(id string, p object) {
		packages = append(packages, p)
		relations = append(relations, object{"spdxElementId": "SPDXRef-arena", "relationshipType": "CONTAINS", "relatedSpdxElement": id})
	}
	goVersion := strings.TrimPrefix(info.GoVersion, "go")
	library := component("SPDXRef-stdlib", "stdlib", goVersion, "BSD-3-Clause")
	library["externalRefs"] = reference("golang", "stdlib", goVersion)
	add("SPDXRef-stdlib", library)
	for i, m := range info.Deps {
		for m.Replace != nil {
			m = m.Replace
		}
		id := fmt.Sprintf("SPDXRef-module-%d", i+1)
		p := component(id, m.Path, m.Version, "NOASSERTION")
		p["externalRefs"], p["comment"] = reference("golang", m.Path, m.Version), "go.sum "+m.Sum
		add(id, p)
	}
	return json.MarshalIndent(object{
		"spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT",
		"name":              r.name(t.os + "-" + t.arch),
		"documentNamespace": "https://spdx.org/spdxdocs/" + r.name(t.os+"-"+t.arch) + "-" + digest(program)[len("sha256:"):],
		"creationInfo":      object{"created": r.time.Format(time.RFC3339), "creators": []string{"Tool: arena-release-" + r.version}},
		"packages":          packages, "relationships": relations,
	}, "", "  ")
}
