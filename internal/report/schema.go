package report

import _ "embed"

// Schema is the JSON Schema of the json format.
//
//go:embed schema/report.schema.json
var Schema []byte
