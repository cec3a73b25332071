package schema_test

// The published test suite lies in this module's test data. The import keeps it
// required, so that it is there whenever the module's dependencies are.
import _ "github.com/google/jsonschema-go/jsonschema"
